/**
 * What all cells of a run share.
 */

import type { Listener } from "../model/run-event.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Plan } from "../model/plan.ts";
import type { Edges } from "./edges.ts";
import type { Door } from "./host-network.ts";
import type { Placement } from "./placement.ts";

export interface RunContext {
  /** the project's */
  directory: string;
  /** name of the Compose project */
  project: string;
  /** its name */
  network: string;
  /**
   * this program is in the networks of other cells too, where names such as `proxy` are theirs
   */
  isBeside?: boolean;
  placement: Placement;
  /**
   * for cells on the machines' own network, the door of that of ./bench itself; null: there is
   * none
   */
  hostNetwork: Door | null;
  /** name of the run */
  run: string;
  /** knobs for Compose */
  env: Record<string, string>;
  /** of each proxy */
  services: Record<string, string[]>;
  /** every folder of proxies/ */
  proxies: Proxy[];
  /** of the plan */
  scenarios: Plan["scenarios"];
  /** of the plan */
  referenceShare: Plan["referenceShare"];
  /** of the plan */
  promise: Plan["promise"];
  /** services that stay up */
  observers: string[];
  loadCores: number;
  /** the plan limits the proxy's CPU time */
  cpuLimited: boolean;
  /** budget of the proxy in cores; 0: none */
  proxyCpus: number;
  /**
   * the cgroup whose CPU budget the containers of a proxy share, where it has several; null:
   * none has to
   */
  budgetGroup: string | null;
  keyType: "ecdsa" | "rsa";
  /** certificate (PEM) of the one behind each type of key that the plan has */
  authorities: Record<string, string>;
  policy: TlsPolicy;
  edges: Edges;
  tell: Listener;
  /** aborted: the run is to end now */
  signal: AbortSignal;
}
