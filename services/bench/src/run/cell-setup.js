/**
 * What one cell is run with: made before it starts, and asked in all of its phases.
 */
import { join } from "node:path";
import { isOnHostNetwork } from "../plan/network.js";
import { keyTypeOf, workloadOf } from "../plan/workload.js";
import { GenerationFolder } from "../platform/generation.js";
import { budgetEnv } from "./cell-budget.js";
import { knobsOf, Loads } from "./loads.js";
import { Watch } from "./watch.js";

/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Door } from "./host-network.js" */
/** @import { RunContext } from "./run-context.js" */

/** Of what stands in each role, on Docker's network. */
const NAMES = { proxy: "proxy", servers: "echo" };

/** @typedef {ReturnType<typeof setUpCell>} CellSetup */

/**
 * @param {PlannedCell} cell
 * @param {RunContext} context
 */
export function setUpCell(cell, context) {
  const workload = workloadOf(context, cell);
  const keyType = keyTypeOf(workload, context.keyType);
  // Where load writes while it runs; results may lie on a slower disk, and get what is kept.
  const scratch = join(context.directory, ".bench", "samples", `${context.project}-${cell.id}`);
  // Which configuration the proxy is to have, where an event changes it.
  const generation = cell.event ? new GenerationFolder(context.directory, context.project) : null;
  const hostNetwork = isOnHostNetwork(workload) ? hostNetworkOf(context) : null;
  const options = {
    name: context.project,
    profile: cell.profile,
    env: {
      ...context.env,
      ...budgetEnv(cell, context),
      ...generation?.env,
      ...knobsOf(cell, workload, cell.parameters),
      TLS_KEY_TYPE: keyType,
    },
  };
  const project = context.placement.project(
    context.directory,
    options,
    hostNetwork && { own: hostNetwork, proxies: context.services[cell.profile] },
  );
  return {
    ...{ cell, context, workload, keyType, scratch, generation, hostNetwork, project },
    loads: new Loads(cell, workload, { context, project, scratch, hostNetwork }),
    watch: new Watch({ ...context, look: (ids) => context.placement.inspect(ids) }),
  };
}

/**
 * @param {RunContext} context
 * @returns {Door}
 */
function hostNetworkOf({ hostNetwork }) {
  if (hostNetwork) return hostNetwork;
  throw new Error("nobody has looked for the machine's own network");
}

/**
 * @param {Pick<CellSetup, "cell" | "context">} setup
 * @returns {Proxy} whose containers are started
 */
export function proxyOf({ cell, context }) {
  const proxy = context.proxies.find(({ name }) => name === cell.profile);
  if (!proxy) throw new Error(`there is no proxy ${cell.profile}`);
  return proxy;
}

/**
 * @param {CellSetup} setup
 * @param {"proxy" | "servers"} role
 * @returns {string} where this program finds it
 */
export function addressOf({ context, hostNetwork }, role) {
  const { placement, isBeside, network } = context;
  if (hostNetwork) return placement.doorOf(placement.siteOf(role), hostNetwork).inside;
  // Docker's own DNS server knows each name with that of its network behind it, too.
  return isBeside ? `${NAMES[role]}.${network}` : NAMES[role];
}
