/**
 * The machines that a run is asked for, from the command line until its cells are placed on them:
 * this one alone, unless hosts/ says otherwise.
 */
import { OwnMachine } from "./placement.ts";
import type { Limits } from "../machine/limits.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { MachineOfRun } from "../model/environment.ts";
import type { Plan } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import type { Placement } from "./placement.ts";

export interface Placed {
  placement: Placement;
  /** identity: equal where they are; null: this machine alone */
  recorded: { machines: MachineOfRun[]; identity: string } | null;
}

export interface Machines {
  /** that names them, as messages call it; left out: this one alone */
  file?: string;
  /** machines that share the load; left out: this one alone */
  loads?: number;
  /** throws a UserError when they cannot run it */
  refuse: (plan: Plan) => void;
  /** throws a UserError when a run was started on others */
  refuseResume: (results: Pick<Results, "environment">, folder: string) => void;
  /** throws a UserError when one does not answer, or is not joined with the others */
  join: () => Promise<void>;
  /** throws a UserError when they cannot give it */
  refuseBudget: (plan: Plan, services: Record<string, string[]>) => void;
  /** what they give, once they have joined; own: of this one */
  limits: (own: Limits) => Promise<Limits>;
  /** gives each its part of the load */
  share: (plan: Plan) => Plan;
  /** throws a UserError when one lacks images */
  place: (about: { plan: Plan; proxies: Proxy[]; config: ComposeConfig }) => Promise<Placed>;
}

export const THIS_MACHINE: Machines = {
  refuse() {},
  refuseResume() {},
  async join() {},
  refuseBudget() {},
  limits: async (own) => own,
  share: (plan) => plan,
  place: async () => ({ placement: new OwnMachine(), recorded: null }),
};
