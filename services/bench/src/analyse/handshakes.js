/**
 * What one kind of TLS handshake costs beside another, on each proxy.
 */
import { ratiosOf } from "./settings.js";
import { comparesHandshakes } from "./scenarios.js";
import { parameterText } from "../render/words.js";

/** @import { Parameters, Results } from "../record/types.js" */
/** @import { AnalysedCell, HandshakeCost, Setting } from "./types.js" */

/** Which parameter differs, and from which value to which. */
const KINDS = [
  {
    question: "What does a resumed handshake cost beside a full one in CPU?",
    title: "Resumed / full",
    name: "RESUMED",
    over: 1,
    under: 0,
  },
  {
    question:
      "What does a full handshake with an RSA key cost beside one with an ECDSA key in CPU?",
    title: "RSA-2048 / ECDSA, full",
    name: "RSA_BITS",
    over: 2048,
    under: 0,
  },
  {
    question: "What does a full handshake of TLS 1.2 cost beside one of TLS 1.3 in CPU?",
    title: "TLS 1.2 / TLS 1.3, full",
    name: "TLS_VERSION",
    over: 1.2,
    under: 1.3,
  },
];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {HandshakeCost[]}
 */
export function handshakesOf(results, settings, cells) {
  const all = settings.filter(({ scenario }) => comparesHandshakes(scenario));
  return KINDS.map(({ question, title, name, over, under }) => ({
    question,
    title,
    pairs: all.flatMap((setting) => {
      const { parameters } = setting;
      // Of resumed handshakes only what they save is asked.
      if (parameters[name] !== over || (name !== "RESUMED" && parameters.RESUMED === 1)) return [];
      const wanted = { ...parameters, [name]: under };
      const beside = all.find((one) => isSame(one.parameters, wanted));
      if (!beside) return [];
      const told = ["TLS_VERSION", "RSA_BITS"].filter((one) => one !== name);
      return [
        {
          setting,
          beside,
          over: told.map((one) => parameterText(one, parameters[one])).join(", "),
          ratios: ratiosOf({ results, cells }, "cpu_us_per_handshake", [setting, beside]),
        },
      ];
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
