import { DELAY_CHECKS } from "./delay-checks.js";
import { FILE_CHECKS, HELLO_CHECKS } from "./file-checks.js";
import { HTTP2_CHECKS, OFFER_CHECK } from "./http2-checks.js";
import { MESSAGE_CHECKS } from "./message-checks.js";
import { RELOAD_CHECKS } from "./reload-checks.js";
import { REQUEST_CHECKS } from "./request-checks.js";
import { TLS_CHECKS } from "./tls-checks.js";

/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Target } from "./connect.js" */
/** @import { MatrixCheck } from "./http2-checks.js" */

/**
 * One thing every proxy must do.
 *
 * @typedef {object} Check
 * @property {string} id
 * @property {string} title
 * @property {string | ((target: Target) => string)} expected
 * @property {(target: Target) => string | undefined} [skip] why the check does not apply to the target
 * @property {(target: Target) => number} [timeLimitMs] default: the run's time-out
 * @property {boolean} [alone] whether other checks at the same time would spoil it
 * @property {boolean} [answers] it is a question, to which what `run` finds is a no; the empty text is a yes
 * @property {boolean} [remarks] what `run` finds is said beside the ok; the empty text is none
 * @property {(target: Target) => Promise<string>} run
 *   what was found, when it is as expected; rejects with what was found or what went wrong otherwise
 */

/**
 * The checks of what is served, of each scheme, in the order they start and are reported. The idle one takes longest: it comes
 * first.
 *
 * @type {Record<Proxy["serves"], Record<Target["scheme"], Check[]>>}
 */
export const CHECKS = {
  websockets: bothSchemes([
    ...MESSAGE_CHECKS,
    ...REQUEST_CHECKS,
    ...DELAY_CHECKS,
    ...RELOAD_CHECKS,
  ]),
  files: bothSchemes(FILE_CHECKS),
  hello: bothSchemes(HELLO_CHECKS),
};

/**
 * @param {Proxy["serves"]} serves
 * @param {Pick<Target, "scheme" | "websocketsOverHttp2">} target
 * @returns {(Check | MatrixCheck)[]}
 */
export function checksOf(serves, { scheme, websocketsOverHttp2 }) {
  const checks = CHECKS[serves][scheme];
  // Browsers speak HTTP/2 over TLS alone.
  if (scheme === "ws" || serves !== "websockets") return checks;
  return [...checks, OFFER_CHECK, ...(websocketsOverHttp2 ? HTTP2_CHECKS : [])];
}

/** @param {Check[]} checks */
function bothSchemes(checks) {
  return { ws: checks, wss: [...checks, ...TLS_CHECKS] };
}
