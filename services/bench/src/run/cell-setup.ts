/**
 * What one cell is run with: made before it starts, and asked in all of its phases.
 */
import { join } from "node:path";
import { EVENTS } from "../plan/events.ts";
import { isOnHostNetwork } from "../plan/network.ts";
import { keyTypeOf, workloadOf } from "../plan/workload.ts";
import { CertificateFolder } from "../platform/certificates.ts";
import { GenerationFolder } from "../platform/generation.ts";
import { budgetEnv } from "./cell-budget.ts";
import { knobsOfOthers, Loads } from "./loads.ts";
import { Watch } from "./watch.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Door } from "./host-network.ts";
import type { RunContext } from "./run-context.ts";

/** Of what stands in each role, on Docker's network. */
const NAMES = { proxy: "proxy", servers: "echo" };

export type CellSetup = ReturnType<typeof setUpCell>;

export function setUpCell(cell: PlannedCell, context: RunContext) {
  const workload = workloadOf(context, cell);
  const keyType = keyTypeOf(workload, context.keyType);
  // Where load writes while it runs; results may lie on a slower disk, and get what is kept.
  const scratch = join(context.directory, ".bench", "samples", `${context.project}-${cell.id}`);
  // Which configuration the proxy is to have, where an event changes it.
  const generation = cell.event ? new GenerationFolder(context.directory, context.project) : null;
  const certificates =
    cell.event && EVENTS[cell.event].certificate
      ? new CertificateFolder(context.directory, context.project)
      : null;
  const hostNetwork = isOnHostNetwork(workload) ? hostNetworkOf(context) : null;
  const options = {
    name: context.project,
    profile: cell.profile,
    env: {
      ...context.env,
      ...budgetEnv(cell, context),
      ...generation?.env,
      ...certificates?.env,
      ...(cell.event && EVENTS[cell.event].supervised && { PROXY_ENTRY: "/supervise.sh" }),
      ...knobsOfOthers(cell, workload),
      TLS_KEY_TYPE: keyType,
    },
  };
  const project = context.placement.project(
    context.directory,
    options,
    hostNetwork && { own: hostNetwork, proxies: context.services[cell.profile] },
  );
  return {
    ...{
      cell,
      context,
      workload,
      keyType,
      scratch,
      generation,
      certificates,
      hostNetwork,
      project,
    },
    loads: new Loads(cell, workload, { context, project, scratch, hostNetwork }),
    watch: new Watch({ ...context, look: (ids) => context.placement.inspect(ids) }),
  };
}

function hostNetworkOf({ hostNetwork }: RunContext): Door {
  if (hostNetwork) return hostNetwork;
  throw new Error("the ports of the machine's own network were not checked");
}

/** @returns whose containers are started */
export function proxyOf({ cell, context }: Pick<CellSetup, "cell" | "context">): Proxy {
  const proxy = context.proxies.find(({ name }) => name === cell.profile);
  if (!proxy) throw new Error(`there is no proxy ${cell.profile}`);
  return proxy;
}

/** @returns where this program finds it */
export function addressOf({ context, hostNetwork }: CellSetup, role: "proxy" | "servers"): string {
  const { placement, isBeside, network } = context;
  if (hostNetwork) return placement.doorOf(placement.siteOf(role), hostNetwork).inside;
  // Docker's own DNS server knows each name with that of its network behind it, too.
  return isBeside ? `${NAMES[role]}.${network}` : NAMES[role];
}
