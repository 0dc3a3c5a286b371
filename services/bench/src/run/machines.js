/**
 * The machines that a run is asked for, from the command line until its cells are placed on them: this one alone, unless hosts/ says otherwise.
 */
import { OwnMachine } from "./placement.js";

/** @import { Limits } from "../machine/limits.js" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { ComposeConfig } from "../platform/docker.js" */
/** @import { MachineOfRun } from "../model/environment.ts" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Placement } from "./placement.js" */

/**
 * @typedef {object} Placed
 * @property {Placement} placement
 * @property {{machines: MachineOfRun[], identity: string} | null} recorded identity: equal where they are; null: this machine alone
 *
 * @typedef {object} Machines
 * @property {string} [file] that names them, as messages call it; left out: this one alone
 * @property {number} [loads] machines that share the load; left out: this one alone
 * @property {(plan: Plan) => void} refuse throws a UserError when they cannot run it
 * @property {(results: Pick<Results, "environment">, folder: string) => void} refuseResume throws a UserError when a run was begun on others
 * @property {() => Promise<void>} join throws a UserError when one does not answer, or is not joined with the others
 * @property {(plan: Plan, services: Record<string, string[]>) => void} refuseBudget throws a UserError when they cannot give it
 * @property {(own: Limits) => Promise<Limits>} limits what they give, once they have joined; own: of this one
 * @property {(plan: Plan) => Plan} share gives each its part of the load
 * @property {(about: {plan: Plan, proxies: Proxy[], config: ComposeConfig}) => Promise<Placed>} place throws a UserError when one lacks images
 */

/** @type {Machines} */
export const THIS_MACHINE = {
  refuse() {},
  refuseResume() {},
  async join() {},
  refuseBudget() {},
  limits: async (own) => own,
  share: (plan) => plan,
  place: async () => ({ placement: new OwnMachine(), recorded: null }),
};
