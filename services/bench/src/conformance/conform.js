import { addAbortListener } from "node:events";
import { checksOf } from "./checks.js";
import { addressOf } from "./connect.js";
import { explain, Failure } from "./mismatch.js";

/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Check } from "./checks.js" */
/** @import { Target } from "./connect.js" */
/** @import { TargetReload } from "./reload-checks.js" */

const CONCURRENT_CHECKS = 8;

/**
 * @typedef {object} CheckResult
 * @property {string} id
 * @property {"ws" | "wss"} scheme
 * @property {string} title
 * @property {boolean} ok true as well for a check that was skipped
 * @property {string} expected
 * @property {string} actual
 * @property {string} [skipped] why the check does not apply
 * @property {string} [remark] what is worth saying of a check that is passed
 * @property {string} [no] of a question: why the answer is no, which is no failure
 */

/**
 * @typedef {object} ConformanceOptions
 * @property {string} host of the proxy
 * @property {number} [plainPort] default 8080
 * @property {number} [tlsPort] default 8443
 * @property {string | Buffer} ca PEM of the certificate authority that signed the proxy's certificate
 * @property {string} [servername] name for SNI and for the certificate; default: `host`
 * @property {import("../model/environment.ts").TlsPolicy} policy contents of certs/policy.json
 * @property {"ecdsa" | "rsa"} keyType key type of the certificate under test
 * @property {("ws" | "wss")[]} [schemes] default both; what is left out is not checked
 * @property {Proxy["serves"]} [serves] default "websockets"; else: a server that answers HTTP itself, and is held to that
 * @property {boolean} [choosesTls13Cipher] default true; false for a target that takes the cipher of TLS 1.3 which the client prefers
 * @property {boolean} [forwarded] default true; false for a target that adds no forwarded headers
 * @property {boolean} [proxyProtocol] default false; true for a target that tells the server the client's address by that
 * @property {boolean} [websocketsOverHttp2] default false; true for a target that offers WebSockets over HTTP/2, and is held to that
 * @property {TargetReload | null} [reload] how the target is reloaded; default: not at all, and that is not checked
 * @property {number} [idleMs] how long an idle connection must stay open; default 3,000
 * @property {number} [timeoutMs] how long one check may take, idling aside; default 5,000
 * @property {(result: CheckResult) => void} [onResult] called as each check ends
 */

/**
 * Checks that a proxy carries WebSockets and HTTP to the echo server as it must, plain and over TLS; or that a file server serves.
 * A check that cannot be made, for instance because nothing listens, is a failed one.
 *
 * @param {ConformanceOptions} options
 * @returns {Promise<CheckResult[]>} in the order of the table of checks
 */
export async function runConformance({
  plainPort = 8080,
  tlsPort = 8443,
  schemes = ["ws", "wss"],
  serves = "websockets",
  choosesTls13Cipher = true,
  forwarded = true,
  proxyProtocol = false,
  websocketsOverHttp2 = false,
  reload = null,
  idleMs = 3_000,
  timeoutMs = 5_000,
  onResult = () => {},
  ...common
}) {
  const shared = {
    ...common,
    choosesTls13Cipher,
    forwarded,
    proxyProtocol,
    websocketsOverHttp2,
    reload,
    idleMs,
    timeoutMs,
  };
  /** @type {Omit<Target, "signal">[]} */
  const targets = [
    { ...shared, scheme: "ws", port: plainPort },
    { ...shared, scheme: "wss", port: tlsPort },
  ];
  const jobs = targets
    .filter(({ scheme }) => schemes.includes(scheme))
    .flatMap((target) => checksOf(serves, target).map((check) => ({ check, target })))
    .map((job, index) => ({ ...job, index }));

  /** @type {CheckResult[]} */
  const results = [];
  const run = async (/** @type {typeof jobs} */ some, /** @type {number} */ atOnce) => {
    const queue = some.values();
    const worker = async () => {
      for (const { check, target, index } of queue) {
        results[index] = await runCheck(check, target);
        onResult(results[index]);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  await run(
    jobs.filter(({ check }) => !check.alone),
    CONCURRENT_CHECKS,
  );
  await run(
    jobs.filter(({ check }) => check.alone),
    1,
  );
  return results;
}

/**
 * @param {Check} check
 * @param {Omit<Target, "signal">} unsignalled
 * @returns {Promise<CheckResult>}
 */
export async function runCheck(check, unsignalled) {
  const end = new AbortController();
  const target = { ...unsignalled, signal: end.signal };
  const { id, title } = check;
  const expected = typeof check.expected === "string" ? check.expected : check.expected(target);
  const about = { id, scheme: target.scheme, title, expected };

  const skipped = check.skip?.(target);
  if (skipped) {
    return { ...about, ok: true, actual: "not checked", skipped };
  }

  const limitMs = check.timeLimitMs?.(target) ?? target.timeoutMs;
  const timer = setTimeout(
    () => end.abort(new Failure(`no answer within ${limitMs / 1_000} s`)),
    limitMs,
  );
  try {
    const actual = await Promise.race([check.run(target), rejectOnAbort(end.signal)]);
    return {
      ...about,
      ok: true,
      actual,
      ...(check.answers && actual && { no: actual }),
      ...(check.remarks && actual && { remark: actual }),
    };
  } catch (error) {
    return { ...about, ok: false, actual: explain(error, addressOf(target)) };
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function rejectOnAbort(signal) {
  return new Promise((_, reject) => {
    addAbortListener(signal, () => reject(signal.reason));
  });
}
