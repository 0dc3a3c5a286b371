/**
 * What is asked of the rounds of each setting, by what its load asks of a proxy.
 */
import type { Measure, Setting } from "../model/comparison.ts";
import { isPaced, isReadAfter } from "../plan/workload.ts";
import type { Workload, Plan } from "../model/plan.ts";
import { BESIDE, isVoidedBy } from "./flags.ts";
import { measure } from "./measures.ts";
import { PER_CONNECTION, PER_HANDSHAKE, PER_MESSAGE, sourcesOf } from "./operation-costs.ts";
import type { Asked, Control } from "./rounds.ts";
import { comparesServers, holdsForSeconds } from "./settings.ts";

interface Row extends Asked {
  applies: (workload: Workload) => boolean;
}

/** Measures derived from several settings are asked where the run has those. */
const ROWS: Row[] = [
  bound("handshake_ms_mean", opensConnections),
  bound("handshake_ms_median", opensConnections),
  bound("handshake_ms_p99", opensConnections),
  bound("handshake_ms_p999", (workload) => opensConnections(workload) && isOpen(workload)),
  bound("echo_latency_ms_mean", sendsMessages),
  bound("echo_latency_ms_median", sendsMessages),
  bound("echo_latency_ms_p99", sendsMessages),
  bound("echo_latency_ms_p999", (workload) => sendsMessages(workload) && isOpen(workload)),
  bound("requests_per_second", sendsRequests),
  bound("request_ms_mean", sendsRequests),
  bound("request_ms_median", sendsRequests),
  bound("request_ms_p99", sendsRequests),
  beside("non_2xx_percent", sendsRequests),
  beside("socket_errors_per_1000_requests", sendsRequests),
  bound("total_seconds", isUntimed),
  bound("messages_per_second", (workload) => workload.holdsConnections && isUntimed(workload)),
  bound("connections_per_second", (workload) => opensConnections(workload) && isUntimed(workload)),
  own(PER_CONNECTION, opensConnections),
  // Elsewhere it is derived from two settings, or not known.
  own(
    PER_MESSAGE,
    ({ holdsConnections, messages = 1, intervalSeconds = 0, messagesPerSecond = 0 }) =>
      holdsConnections && (messages > 1 || intervalSeconds > 0 || messagesPerSecond > 0),
  ),
  own(PER_HANDSHAKE, () => false),
  // Of files, it would hold a proxy's part of the work against a server's whole.
  own(
    "proxy_cpu_us_per_request",
    (workload) => sendsRequests(workload) && !comparesServers(workload),
  ),
  beside("servers_cpu_seconds", comparesServers),
  own("proxy_cpu_cores", holdsForSeconds),
  // What a configuration reserves is most of a small load's memory, and says nothing of a large
  // one's: slopes rank.
  unranked("proxy_memory_baseline_usage_bytes", (workload) => !comparesServers(workload)),
  unranked("proxy_memory_growth_bytes", (workload) => !comparesServers(workload)),
  unranked("proxy_memory_peak_usage_bytes", (workload) => !comparesServers(workload)),
  unranked(
    "proxy_memory_per_connection_bytes",
    (workload) => !isReadAfter(workload) && !sendsRequests(workload) && !isPaced(workload),
  ),
  unranked("proxy_memory_user_per_connection_bytes", ({ holdsConnections }) => holdsConnections),
  unranked("proxy_memory_kernel_per_connection_bytes", ({ holdsConnections }) => holdsConnections),
  own("proxy_sockets_left", isReadAfter),
  own("proxy_close_wait_left", isReadAfter),
  own("proxy_descriptors_left", isReadAfter),
  own("proxy_memory_left_bytes", isReadAfter),
];

/** What is asked of a setting, in the order of the table. */
export function askedIn(
  setting: Setting,
  { settings, plan }: { settings: Setting[]; plan: Pick<Plan, "sideBySide"> },
): Asked[] {
  const { scheme, workload } = setting;
  return ROWS.filter(({ key, applies }) => {
    const { kind }: Measure = measure(key);
    const isAsked = applies(workload) || sourcesOf(setting, key, settings) !== null;
    return isAsked && !(plan.sideBySide && isVoidedBy(BESIDE, kind));
  }).map(({ key, control, isRanked }) => ({
    key,
    isRanked,
    // Over TLS the control encrypts in the thread that answers, and of files it is a server.
    control:
      control === "bound" && (comparesServers(workload) || scheme === "wss") ? "beside" : control,
  }));
}

function row(control: Control, isRanked = true) {
  return (key: string, applies: Row["applies"]): Row => ({ key, control, isRanked, applies });
}

function bound(...of: [string, Row["applies"]]): Row {
  return row("bound")(...of);
}

function beside(...of: [string, Row["applies"]]): Row {
  return row("beside")(...of);
}

function own(...of: [string, Row["applies"]]): Row {
  return row("own")(...of);
}

function unranked(...of: [string, Row["applies"]]): Row {
  return row("own", false)(...of);
}

/** WebSockets in the measured phase. */
function opensConnections({ protocol, holdsConnections }: Workload): boolean {
  return protocol === "websocket" && !holdsConnections;
}

function sendsMessages({ protocol, intervalSeconds }: Workload): boolean {
  return protocol === "websocket" && intervalSeconds !== 0;
}

function sendsRequests({ protocol }: Workload): boolean {
  return protocol === "http";
}

/** The measured phase lasts until the work is done, and the proxy says how long that is. */
function isUntimed({ loop, phaseSeconds }: Workload): boolean {
  return loop === "closed" && phaseSeconds === undefined;
}

/** Its times are delays at a rate, and their tail is worth a comparison. */
function isOpen({ loop }: Workload): boolean {
  return loop === "open";
}
