import { addAbortListener } from "node:events";
import { workThrough } from "../platform/wait.ts";
import { checksOf } from "./checks.ts";
import { addressOf } from "./connect.ts";
import { explain, Failure } from "./mismatch.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Check } from "./checks.ts";
import type { Target } from "./connect.ts";
import type { TargetReload } from "./reload-checks.ts";
import type { TlsPolicy } from "../model/environment.ts";

const CONCURRENT_CHECKS = 8;
/** How long an idle connection must stay open. */
export const IDLE_MS = 3_000;

export interface CheckResult {
  id: string;
  scheme: "ws" | "wss";
  title: string;
  /** true as well for a check that was skipped */
  ok: boolean;
  expected: string;
  actual: string;
  /** why the check does not apply */
  skipped?: string;
  /** what is worth saying of a check that is passed */
  remark?: string;
  /** of a question: why the answer is no, which is no failure */
  no?: string;
  /** it was not as expected, which is no failure of a configuration that is not tuned */
  untuned?: true;
}

/** Runs work when its turn has come. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Of those that are verified at the same time: one after the other. */
export function oneByOne(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const own = last.then(work);
    last = own.catch(() => {});
    return own;
  };
}

export interface ConformanceOptions {
  /** of the proxy */
  host: string;
  /** where its sockets listen, if the name does not tell; default: `host` */
  address?: string;
  /** default 8080 */
  plainPort?: number;
  /** default 8443 */
  tlsPort?: number;
  /** PEM of the certificate authority that signed the proxy's certificate */
  ca: string | Buffer;
  /** name for SNI and for the certificate; default: `host` */
  servername?: string;
  /** contents of certs/policy.json */
  policy: TlsPolicy;
  /** key type of the certificate under test */
  keyType: "ecdsa" | "rsa";
  /** default both; what is left out is not checked */
  schemes?: ("ws" | "wss")[];
  /** default "websockets"; else: a server that answers HTTP itself, and is held to that */
  serves?: Proxy["serves"];
  /**
   * default true; false for a target that takes the cipher of TLS 1.3 which the client prefers
   */
  choosesTls13Cipher?: boolean;
  /** default true; false for a target with the configuration of its documentation */
  tuned?: boolean;
  /** default true; false for a target that adds no forwarded headers */
  forwarded?: boolean;
  /** default false; true for a target that tells the server the client's address by that */
  proxyProtocol?: boolean;
  /**
   * default false; true for a target that offers WebSockets over HTTP/2, and is held to that
   */
  websocketsOverHttp2?: boolean;
  /** how the target is reloaded; default: not at all, and that is not checked */
  reload?: TargetReload | null;
  /** stops the target gracefully, as the last check; default: it cannot */
  drain?: (() => Promise<void>) | null;
  /** how long an idle connection must stay open; default IDLE_MS */
  idleMs?: number;
  /** how many connections must be open at once; default: none, and that is not checked */
  held?: number;
  /** how long one check may take, idling aside; default 5,000 */
  timeoutMs?: number;
  /** has the checks that must have the machine to themselves; default: runs them at once */
  whenAlone?: Turns;
  /** called as each check ends */
  onResult?: (result: CheckResult) => void;
}

/**
 * Checks that a proxy carries WebSockets and HTTP to the echo server as it must, plain and over
 * TLS; or that a file server serves. A check that cannot be made, for instance because nothing
 * listens, is a failed one.
 *
 * @returns in the order of the table of checks
 */
export async function runConformance({
  plainPort = 8080,
  tlsPort = 8443,
  schemes = ["ws", "wss"],
  serves = "websockets",
  tuned = true,
  choosesTls13Cipher = true,
  forwarded = true,
  proxyProtocol = false,
  websocketsOverHttp2 = false,
  reload = null,
  drain = null,
  idleMs = IDLE_MS,
  held,
  timeoutMs = 5_000,
  whenAlone = (work) => work(),
  onResult = () => {},
  ...common
}: ConformanceOptions): Promise<CheckResult[]> {
  const shared = {
    ...common,
    choosesTls13Cipher,
    forwarded,
    proxyProtocol,
    websocketsOverHttp2,
    reload,
    idleMs,
    held,
    timeoutMs,
  };
  // What is stopped is gone: once, and last.
  const last = schemes.includes("wss") ? "wss" : "ws";
  const drainOver = (scheme: Target["scheme"]) =>
    drain && scheme !== last ? `over ${last} alone: the proxy ends with it` : drain;
  const targets: Omit<Target, "signal">[] = [
    { ...shared, scheme: "ws", port: plainPort, drain: drainOver("ws") },
    { ...shared, scheme: "wss", port: tlsPort, drain: drainOver("wss") },
  ];
  const jobs = targets
    .filter(({ scheme }) => schemes.includes(scheme))
    .flatMap((target) => checksOf(serves, target).map((check) => ({ check, target })))
    .map((job, index) => ({ ...job, index }));

  const results: CheckResult[] = [];
  const run = (some: typeof jobs, atATime: number) =>
    workThrough(some, atATime, async ({ check, target, index }) => {
      results[index] = excused(await runCheck(check, target), !tuned && check.tuning);
      onResult(results[index]);
    });
  await run(
    jobs.filter(({ check }) => !check.alone),
    CONCURRENT_CHECKS,
  );
  await whenAlone(() =>
    run(
      jobs.filter(({ check }) => check.alone),
      1,
    ),
  );
  return results;
}

export async function runCheck(
  check: Check,
  unsignalled: Omit<Target, "signal">,
): Promise<CheckResult> {
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

function excused(result: CheckResult, isExcused: boolean | undefined): CheckResult {
  return result.ok || !isExcused ? result : { ...result, ok: true, untuned: true };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    addAbortListener(signal, () => reject(signal.reason));
  });
}
