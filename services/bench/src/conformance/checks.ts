import { DELAY_CHECKS } from "./delay-checks.ts";
import { FILE_CHECKS, HELLO_CHECKS } from "./file-checks.ts";
import { HELD_CHECK } from "./held-check.ts";
import { HTTP2_CHECKS, OFFER_CHECK } from "./http2-checks.ts";
import { MESSAGE_CHECKS } from "./message-checks.ts";
import { RELOAD_CHECKS } from "./reload-checks.ts";
import { REQUEST_CHECKS } from "./request-checks.ts";
import { TLS_CHECKS } from "./tls-checks.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Target } from "./connect.ts";

/** One thing every proxy must do. */
export interface Check {
  id: string;
  title: string;
  expected: string | ((target: Target) => string);
  /** why the check does not apply to the target */
  skip?: (target: Target) => string | undefined;
  /** default: the run's time-out */
  timeLimitMs?: (target: Target) => number;
  /** whether other checks at the same time would spoil it */
  alone?: boolean;
  /** it is a question, to which what `run` finds is a no; the empty text is a yes */
  answers?: boolean;
  /** what `run` finds stands beside the ok; an empty text is nothing */
  remarks?: boolean;
  /** it takes a tuned configuration: of any other what was found is reported, and is no failure */
  tuning?: boolean;
  /**
   * what was found, when it is as expected; rejects with what was found or what went wrong
   * otherwise
   */
  run: (target: Target) => Promise<string>;
}

/**
 * The checks of what is served, of each scheme, in the order they start and are reported. The idle
 * one takes longest: it comes first.
 */
export const CHECKS: Record<Proxy["serves"], Record<Target["scheme"], Check[]>> = {
  websockets: bothSchemes([
    ...MESSAGE_CHECKS,
    ...REQUEST_CHECKS,
    ...DELAY_CHECKS,
    HELD_CHECK,
    ...RELOAD_CHECKS,
  ]),
  files: bothSchemes(FILE_CHECKS),
  hello: bothSchemes(HELLO_CHECKS),
};

export function checksOf(
  serves: Proxy["serves"],
  { scheme, websocketsOverHttp2 }: Pick<Target, "scheme" | "websocketsOverHttp2">,
): Check[] {
  const checks = CHECKS[serves][scheme];
  // Browsers speak HTTP/2 over TLS alone.
  if (scheme === "ws" || serves !== "websockets") return checks;
  return [...checks, OFFER_CHECK, ...(websocketsOverHttp2 ? HTTP2_CHECKS : [])];
}

function bothSchemes(checks: Check[]) {
  return { ws: checks, wss: [...checks, ...TLS_CHECKS] };
}
