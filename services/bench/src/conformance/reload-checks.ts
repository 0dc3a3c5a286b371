import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../platform/wait.ts";
import { addressOf, connect, describeClose, get, openWebSocket } from "./connect.ts";
import { echo } from "./message-checks.ts";
import { ensure, explain } from "./mismatch.ts";
import type { Check } from "./checks.ts";
import type { Client, Target } from "./connect.ts";

/** How the target gets another configuration. */
export interface TargetReload {
  /**
   * tells it, and resolves with the number of the new configuration once processes with it have
   * started
   */
  run: () => Promise<number>;
  /** whether it answers GET /.generation with the number of its configuration */
  tells: boolean;
  /** when it ends what was open before; null: never */
  closesAfterSeconds: number | null;
}

/**
 * How long it may take until the new configuration answers, and processes that have it have
 * started, in ms.
 */
export const RELOAD_LIMIT_MS = 10_000;
/** For how long an open connection must outlive a reload, or a stop, that never ends it. */
export const OUTLIVES_MS = 1_000;
/** How long it may take until what stops takes no new connections, and its last one has left. */
const STOP_LIMIT_MS = 15_000;
const CONNECT_LIMIT_MS = 1_000;
/** What an end at a set time may be off by. */
const SLACK_SECONDS = 2;

const skipWithoutReload = ({ reload }: Target) => (reload ? undefined : "it has no reload");

const limitOf = ({ reload, timeoutMs }: Target) =>
  2 * RELOAD_LIMIT_MS + secondsToClose(reload) * 1_000 + timeoutMs;

export const RELOAD_CHECKS: Check[] = [
  {
    id: "reload",
    title: "reload brings the new configuration and keeps open connections",
    expected: ({ reload }) => describeReload(reload),
    skip: skipWithoutReload,
    timeLimitMs: limitOf,
    alone: true,
    answers: true,
    async run(target) {
      const reload = target.reload as TargetReload;
      const client = await openWebSocket(target);
      const reloadedMs = performance.now();
      const number = await reload.run();
      if (reload.tells) await answers(target, number);
      await echo(await openWebSocket(target), "new since the reload");
      if (reload.closesAfterSeconds === null) {
        const end = await endWhileWatched(client, target);
        ensure(end === null, `${end} after the reload`);
        await echo(client, "older than the reload");
        return "";
      }
      await isClosed(client, reload.closesAfterSeconds, reloadedMs);
      return `an open connection ${closedAfter(reload.closesAfterSeconds)}, as proxy.json declares`;
    },
  },
  {
    id: "drain",
    title: "graceful stop keeps open connections",
    expected: `an open connection echoing ${OUTLIVES_MS / 1_000} s later; no new ones once it has closed`,
    skip: ({ drain }) =>
      typeof drain === "function" ? undefined : (drain ?? "it has no graceful stop"),
    timeLimitMs: ({ timeoutMs }) => 2 * STOP_LIMIT_MS + timeoutMs,
    alone: true,
    answers: true,
    async run(target) {
      const client = await openWebSocket(target);
      if (typeof target.drain === "function") await target.drain();
      const end = await endWhileWatched(client, target);
      if (end === null) await echo(client, "after the stop");
      client.ws.close();
      const isLeft = await until(
        Date.now() + STOP_LIMIT_MS,
        () => connects(target),
        (is) => !is,
      );
      ensure(!isLeft, `new connections still ${STOP_LIMIT_MS / 1_000} s after that one closed`);
      return end ?? "";
    },
  },
];

/** What a server that nothing stands behind must do. */
export const RELOAD_OF_FILES: Check = {
  id: "reload",
  title: "answers after a reload",
  expected: "status 200",
  skip: skipWithoutReload,
  timeLimitMs: limitOf,
  alone: true,
  async run(target) {
    await target.reload?.run();
    const { status } = await get(target, "/healthz");
    ensure(status === 200, `status ${status}`);
    return `status ${status}`;
  },
};

/** @param number of the configuration */
async function answers(target: Target, number: number) {
  // What is refused or reset meanwhile is for a battle to count.
  const ask = async () => {
    try {
      const { status, body } = await get(target, "/.generation");
      return `status ${status} and ${JSON.stringify(body.trim())}`;
    } catch (error) {
      target.signal.throwIfAborted();
      return explain(error, addressOf(target));
    }
  };
  const good = `status 200 and "${number}"`;
  const last = await until(Date.now() + RELOAD_LIMIT_MS, ask, (answer) => answer === good);
  ensure(
    last === good,
    `${last} from /.generation ${RELOAD_LIMIT_MS / 1_000} s after the reload to configuration ${number}`,
  );
}

/** @returns how it ended; null: it is open */
async function endWhileWatched(client: Client, { signal }: Target): Promise<string | null> {
  const end = await Promise.race([sleep(OUTLIVES_MS, null, { signal }), client.closed]);
  return end && describeClose(end.code, end.reason);
}

async function connects(target: Target): Promise<boolean> {
  const isOpen = connect(target).then(
    (socket) => {
      socket.destroy();
      return true;
    },
    () => false,
  );
  // Packets to an address that is gone may vanish.
  return Promise.race([isOpen, sleep(CONNECT_LIMIT_MS, false, { signal: target.signal })]);
}

/** @param reloadedMs by performance.now() */
async function isClosed(client: Client, afterSeconds: number, reloadedMs: number) {
  if (afterSeconds > 0) await echo(client, "older than the reload");
  const end = await Promise.race([
    client.closed,
    sleep((afterSeconds + SLACK_SECONDS) * 1_000 - (performance.now() - reloadedMs)),
  ]);
  const seconds = (performance.now() - reloadedMs) / 1_000;
  ensure(
    end !== undefined && seconds >= afterSeconds - SLACK_SECONDS,
    `${end ? describeClose(end.code, end.reason) : "connection still open"} ${seconds.toFixed(1)} s after the reload`,
  );
}

function secondsToClose(reload: TargetReload | null) {
  return (reload?.closesAfterSeconds ?? 0) + SLACK_SECONDS;
}

function closedAfter(seconds: number) {
  return `is closed ${seconds === 0 ? "at once" : `after ${seconds} s`}`;
}

function describeReload(reload: TargetReload | null) {
  const seconds = reload?.closesAfterSeconds ?? null;
  const end = seconds === null ? "stays open" : closedAfter(seconds);
  return `${reload?.tells ? "the new number from /.generation; " : ""}an open connection ${end}`;
}
