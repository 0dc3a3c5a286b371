/**
 * What one kind of TLS handshake costs beside another, on each proxy.
 */
import { isDeepStrictEqual } from "node:util";
import { without } from "../plan/workload.js";
import { ratiosOf } from "./settings.js";

/** @import { Meaning } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, HandshakeCost, HandshakeKind, Setting } from "./types.js" */

/**
 * What differs, and from which value to which.
 *
 * @type {{kind: HandshakeKind, means: Meaning, over: number, under: number}[]}
 */
const KINDS = [
  { kind: "resumed", means: "resumed", over: 1, under: 0 },
  { kind: "rsa", means: "rsaBits", over: 2048, under: 0 },
  { kind: "tls12", means: "tlsVersion", over: 1.2, under: 1.3 },
];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {HandshakeCost[]}
 */
export function handshakesOf(results, settings, cells) {
  const all = settings.filter(({ workload }) => workload.compares === "handshakes");
  return KINDS.map(({ kind, means, over, under }) => ({
    kind,
    pairs: all.flatMap((setting) => {
      const { workload } = setting;
      // Of resumed handshakes only what they save is asked.
      if (workload[means] !== over || (means !== "resumed" && workload.resumed === 1)) return [];
      const beside = all.find(
        (one) => one.workload[means] === under && isSameBut(means, one, setting),
      );
      if (!beside) return [];
      const ratios = ratiosOf({ results, cells }, "cpu_us_per_connection", [[setting, beside]]);
      return [{ setting, beside, ratios }];
    }),
  })).filter(({ pairs }) => pairs.length > 0);
}

/**
 * @param {Meaning} means what they may differ in
 * @param {Setting} a
 * @param {Setting} b
 */
export function isSameBut(means, a, b) {
  const name = a.workload.parameterNames[means];
  return (
    a.scenario === b.scenario &&
    isDeepStrictEqual(without(a.parameters, [name]), without(b.parameters, [name]))
  );
}
