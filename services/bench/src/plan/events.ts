/**
 * What may happen to a proxy, or to what stands behind it, while connections are held: the table
 * events.json, which `run` carries out.
 */
import { CONTROL } from "./proxies.ts";
import table from "./events.json" with { type: "json" };
import type { Proxy } from "./proxies.ts";

/**
 * writes the next generation of the proxy's configuration, which it reads when it starts or reloads
 */
type Renew = { do: "renew" };

/** its own signals */
type Reload = { do: "reload" };

/** a new container beside the old one */
type StartBeside = { do: "start-beside" };

/** its own signals to the old container, which is killed when it has not ended by then */
type Drain = { do: "drain"; seconds: number };

/** TERM, and KILL to what has not ended by then, or KILL at once; a supervisor starts it again */
export type EndProxy = { do: "stop" | "kill"; of: "proxy" };

/** of one server behind the proxy, which the engine ends and starts */
type ChangeServer = { do: "stop" | "kill" | "start"; of: "server" };

/** of its worker processes the one with the most open files */
type KillWorker = { do: "kill-worker" };

type Wait = { do: "wait"; seconds: number };

/** this many servers behind it */
type Scale = { do: "scale"; servers: number };

export type Step =
  | Renew
  | Reload
  | StartBeside
  | Drain
  | EndProxy
  | ChangeServer
  | KillWorker
  | Wait
  | Scale;

export interface ProxyEvent {
  /** is done, in a few words */
  what: string;
  /** what not every proxy has */
  needs?: "reload" | "drain" | "worker" | "servers";
  /** with each configuration the proxy gets another certificate, which shows what is in force */
  certificate?: true;
  /** behind the proxy from the start; left out: one */
  servers?: number;
  /** preparations just before it */
  before: Step[];
  /** the event is when the first of them begins */
  steps: Step[];
  /**
   * the proxy runs under proxies/supervise.sh, which starts it again in the same container, as its
   * users have it
   */
  supervised?: true;
  /** of the steps; everySeconds: from one beginning to the next */
  repeat?: { times: number; everySeconds: number };
}

export const EVENTS = table as Record<string, ProxyEvent>;

/** The event of a test that says none, and the control of the experiment: nothing is done. */
export const NOTHING = "none";

/** null: it has that */
const LACKS: Record<NonNullable<ProxyEvent["needs"]>, (proxy: Proxy) => string | null> = {
  reload: ({ reload }) => (reload ? null : "it cannot reload"),
  drain: ({ drain }) => (drain ? null : "it cannot stop gracefully"),
  worker: ({ worker }) => (worker ? null : "it has no worker processes"),
  servers: ({ name, balances }) => {
    if (name === CONTROL) return "nothing stands behind it";
    return balances ? null : "it uses one server alone";
  },
};

/** @returns a new configuration is to answer after it */
export function renews(event: string): boolean {
  const { before, steps } = EVENTS[event];
  return [...before, ...steps].some((step) => step.do === "renew");
}

/** @returns what it lacks to be put through that event; null: nothing */
export function lackFor(proxy: Proxy, event: string): string | null {
  const { needs, certificate } = EVENTS[event];
  if (certificate && !proxy.terminatesTls) return "it has no certificate";
  return needs === undefined ? null : LACKS[needs](proxy);
}

/** @returns seconds that its steps take by themselves, at most */
export function secondsOf(event: string): number {
  const { steps, repeat } = EVENTS[event];
  const once = steps.reduce((sum, step) => sum + ("seconds" in step ? step.seconds : 0), 0);
  return once + (repeat ? (repeat.times - 1) * repeat.everySeconds : 0);
}

/** Proxies look their servers' addresses up this often: what a change of servers does depends on when. */
const LOOKUP_SECONDS = 5;

/** Multiples of it, without their whole part, spread evenly, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * @returns seconds by which a cell's load begins later: in every round at another moment between
 *   two lookups, which a proxy counts from its start
 */
export function delaySeconds(event: string, round: number): number {
  return EVENTS[event].needs === "servers" ? LOOKUP_SECONDS * ((round * GOLDEN_RATIO) % 1) : 0;
}
