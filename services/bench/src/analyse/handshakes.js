/**
 * What one kind of TLS handshake costs beside another, on each proxy.
 */
import { ratiosOf } from "./settings.js";
import { comparesHandshakes } from "./scenarios.js";

/** @import { Parameters, Results } from "../record/types.js" */
/** @import { AnalysedCell, HandshakeCost, HandshakeKind, Setting } from "./types.js" */

/**
 * Which parameter differs, and from which value to which.
 *
 * @type {{kind: HandshakeKind, name: string, over: number, under: number}[]}
 */
const KINDS = [
  { kind: "resumed", name: "RESUMED", over: 1, under: 0 },
  { kind: "rsa", name: "RSA_BITS", over: 2048, under: 0 },
  { kind: "tls12", name: "TLS_VERSION", over: 1.2, under: 1.3 },
];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {HandshakeCost[]}
 */
export function handshakesOf(results, settings, cells) {
  const all = settings.filter(({ scenario }) => comparesHandshakes(scenario));
  return KINDS.map(({ kind, name, over, under }) => ({
    kind,
    pairs: all.flatMap((setting) => {
      const { parameters } = setting;
      // Of resumed handshakes only what they save is asked.
      if (parameters[name] !== over || (name !== "RESUMED" && parameters.RESUMED === 1)) return [];
      const wanted = { ...parameters, [name]: under };
      const beside = all.find((one) => isSame(one.parameters, wanted));
      if (!beside) return [];
      const ratios = ratiosOf({ results, cells }, "cpu_us_per_handshake", [setting, beside]);
      return [{ setting, beside, ratios }];
    }),
  })).filter(({ pairs }) => pairs.length > 0);
}

/**
 * @param {Parameters} a
 * @param {Parameters} b
 */
function isSame(a, b) {
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);
}
