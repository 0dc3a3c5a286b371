import { setTimeout as sleep } from "node:timers/promises";
import { openWebSocket } from "./connect.ts";
import { ensure } from "./mismatch.ts";
import { encodeFrame, HEADER_BYTES, OPCODE } from "./frame.ts";
import type { Client, Target } from "./connect.ts";
import type { Check } from "./checks.ts";

// A sender with Nagle's algorithm on keeps a small write back while an earlier small one is
// unacknowledged, and a receiver with nothing to send acknowledges only after 40 ms. It takes two
// small writes in one direction, apart enough for the proxy to read them one by one, with nothing
// sent the other way between them. A new connection acknowledges at once, so the first rounds only
// bring it into the delayed mode. The median tells a step on every round from the odd delay of a
// busy machine.
const WARM_UP_ROUNDS = 5;
const ROUNDS = 20;
const LIMIT_MS = 20;

/** Long enough for a proxy to read and forward the first part alone, short against 40 ms. */
const PART_GAP_MS = 5;

/**
 * Few enough that their echoes, as TLS records too, fit in one segment: Nagle's algorithm holds
 * back no full one.
 */
const BURST_MESSAGES = 32;

/**
 * Unsolicited pongs after each message: the server drops them, but reading them spaces its echoes
 * over about 2 ms. With a quarter of them, a proxy that must wait for a busy processor reads the
 * echoes all at once.
 */
const FILLER_PONGS = 256;

const PONG = encodeFrame(OPCODE.pong, Buffer.alloc(0));
const SHORT_TEXT = encodeFrame(OPCODE.text, Buffer.from("x"));

const BURST = Buffer.concat(
  Array.from({ length: BURST_MESSAGES }, () => [
    SHORT_TEXT,
    ...Array.from({ length: FILLER_PONGS }, () => PONG),
  ]).flat(),
);

export const DELAY_CHECKS: Check[] = [
  {
    id: "delay-to-server",
    title: "small writes pass to the server without a 40 ms step",
    expected: `a median round trip under ${LIMIT_MS} ms`,
    alone: true,
    async run(target) {
      const client = await openWebSocket(target);
      const [median] = await medians([() => roundOfTwoParts(client, target)]);
      const actual = `a median of ${median.toFixed(1)} ms`;
      ensure(median < LIMIT_MS, actual);
      return actual;
    },
  },
  {
    id: "delay-to-client",
    title: "small writes pass to the client without a 40 ms step",
    expected: `less than ${LIMIT_MS} ms between the median round trips without and with prompt acknowledgements`,
    alone: true,
    async run(target) {
      const client = await openWebSocket(target);
      const [silent, prompt] = await medians([
        () => roundOfBurst(client, { prompt: false }),
        () => roundOfBurst(client, { prompt: true }),
      ]);
      const actual = `medians of ${silent.toFixed(1)} ms without and ${prompt.toFixed(1)} ms with them`;
      ensure(silent - prompt < LIMIT_MS, actual);
      return actual;
    },
  },
];

/**
 * The two parts of one message are two writes that the server answers only after the second.
 *
 * @returns milliseconds from the second part to the echo
 */
async function roundOfTwoParts(client: Client, { signal }: Target): Promise<number> {
  const frame = encodeFrame(OPCODE.text, Buffer.from("in two parts"));
  client.socket.write(frame.subarray(0, HEADER_BYTES));
  await sleep(PART_GAP_MS, undefined, { signal });
  const start = performance.now();
  client.socket.write(frame.subarray(HEADER_BYTES));
  await client.nextMessage();
  return performance.now() - start;
}

/**
 * One write to the server brings many small ones back. Whatever the client sends meanwhile
 * acknowledges the echoes so far, so it stays silent; or it answers each echo, which takes the step
 * away and leaves the cost of the work alone.
 *
 * @returns milliseconds from the burst to the last echo
 */
async function roundOfBurst(client: Client, { prompt }: { prompt: boolean }): Promise<number> {
  const start = performance.now();
  client.socket.write(BURST);
  for (let index = 0; index < BURST_MESSAGES; index++) {
    await client.nextMessage();
    if (prompt) {
      client.socket.write(PONG);
    }
  }
  const duration = performance.now() - start;
  // The echo of one more message acknowledges the pongs, which would hold back the next burst where
  // Nagle's algorithm is on towards the server: that is the other check's to find.
  client.socket.write(SHORT_TEXT);
  await client.nextMessage();
  return duration;
}

/**
 * @param rounds kinds of rounds, taken in turn so that a busy machine slows all alike
 * @returns median of each kind
 */
async function medians(rounds: (() => Promise<number>)[]): Promise<number[]> {
  for (let index = 0; index < WARM_UP_ROUNDS; index++) {
    await rounds[0]();
  }
  const times: number[][] = rounds.map(() => []);
  for (let index = 0; index < ROUNDS; index++) {
    for (const [kind, round] of rounds.entries()) {
      times[kind].push(await round());
    }
  }
  return times.map((all) => all.sort((a, b) => a - b)[ROUNDS / 2]);
}
