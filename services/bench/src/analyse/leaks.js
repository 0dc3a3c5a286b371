/**
 * What proxies keep of connections that their clients have dropped: any scenario that looks again some seconds after its load.
 */
import { CONTROL } from "../plan/proxies.js";
import { connectionsInAll, isReadAfter, schemeName } from "../plan/workload.js";

/** @import { LeakAnswer, Row, Setting } from "./types.js" */

/** One connection kept of so many is a leak. Fewer may be the proxy's own: listening sockets, or connections to be used again. */
export const LEAK_SHARE = 0.01;

/** What a connection that is kept holds open. */
const KEPT = ["proxy_sockets_left", "proxy_descriptors_left"];

/**
 * @param {Setting[]} settings
 * @returns {Omit<LeakAnswer, "caveats">[]} of the setting with the most connections over a scheme, one a scheme that was looked at again
 */
export function leaksOf(settings) {
  const looked = settings.filter(({ workload }) => isReadAfter(workload));
  return [...Map.groupBy(looked, schemeName).values()].flatMap((same) => {
    const setting = same.reduce((a, b) =>
      connectionsInAll(b.workload) > connectionsInAll(a.workload) ? b : a,
    );
    const connections = connectionsInAll(setting.workload);
    const left = leftOf(setting).map((one) => ({
      ...one,
      isLeak: one.left >= LEAK_SHARE * connections,
    }));
    const { settleSeconds = 0 } = setting.workload;
    return left.length > 0 ? [{ settings: [setting], connections, settleSeconds, left }] : [];
  });
}

/**
 * @param {Setting} setting
 * @returns {{proxy: string, left: number}[]} sockets or descriptors, whichever are more; the worst first; without the control
 */
function leftOf({ comparisons }) {
  const rows = comparisons.filter(({ measure }) => KEPT.includes(measure)).flatMap((c) => c.rows);
  const known = rows.filter((row) => row.proxy !== CONTROL && row.median);
  return [...Map.groupBy(known, ({ proxy }) => proxy)]
    .map(([proxy, own]) => ({ proxy, left: Math.max(...own.map(leftIn)) }))
    .sort((a, b) => b.left - a.left);
}

/** @param {Row} row */
function leftIn({ median }) {
  return median?.value ?? 0;
}
