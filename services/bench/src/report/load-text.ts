/** What a scenario puts a proxy under, in words: its parameters by what they mean. */
import { counted, number } from "../numbers.js";
import type { Meaning, ScenarioDescription } from "../model/plan.ts";

type Described = Pick<ScenarioDescription, "parameterNames" | "holdsConnections">;

/** In the order in which a reader wants to know them. */
const WORDS: Partial<Record<Meaning, (value: number, holds: boolean) => string>> = {
  connections: (value) => counted(value, "connection"),
  streams: (value) =>
    value === 0 ? "a connection each, over HTTP/1.1" : `${number(value)} on an HTTP/2 connection`,
  connectionsPerSecond: (value) => `${counted(value, "connection")} opened a second`,
  concurrency: (value) => `${number(value)} at a time`,
  requests: (value) => counted(value, "request"),
  threads: (value) => counted(value, "client thread"),
  phaseSeconds: (value, holds) => `${holds ? "held " : ""}for ${number(value)} s`,
  quietSeconds: (value) => `quiet for ${number(value)} s`,
  watchSeconds: (value) => `watched for ${number(value)} s`,
  stalled: (value) => `${number(value)} of them stop reading`,
  stallSeconds: (value) => `for ${number(value)} s`,
  backoff: (value) =>
    ["back at once", "after a fixed back-off", "after a back-off with full jitter"][value],
  backoffSeconds: (value) => `back-off ${number(value)} s`,
  messages: (value) => `${counted(value, "message")} a connection`,
  intervalSeconds: (value) => `a message each ${number(value)} s`,
  messagesPerSecond: (value) => `${counted(value, "message")} a second`,
  messageBytes: (value) => `${counted(value, "byte")} a message`,
  serverWorkers: (value) => counted(value, "server process", "server processes"),
  hostNetwork: (value) => ["Docker's network", "the machine's own network", "the overlay"][value],
  fileBytes: (value) => `files of ${number(value)} bytes`,
  tlsVersion: (value) => `TLS ${value}`,
  rsaBits: (value) => (value === 0 ? "ECDSA key" : `RSA-${value} key`),
  resumed: (value) => (value === 0 ? "full handshakes" : "resumed handshakes"),
  poisson: (value) => (value === 0 ? "evenly" : "as a Poisson process"),
  seed: (value) => `seed ${value}`,
  timeoutSeconds: (value) => `timeout ${number(value)} s`,
  settleSeconds: (value) => `read again after ${number(value)} s`,
};

/**
 * @param names of its parameters, in any order: InfluxDB has them by the alphabet
 * @returns those that mean something first, in the order in which a reader wants to know them
 */
export function inReadingOrder({ parameterNames }: Described, names: string[]): string[] {
  const told = (Object.keys(WORDS) as Meaning[]).flatMap(
    (meaning) => parameterNames[meaning] ?? [],
  );
  return [
    ...told.filter((name) => names.includes(name)),
    ...names.filter((name) => !told.includes(name)),
  ];
}

/** @returns undefined: it is the script's own affair */
export function meaningOf({ parameterNames }: Described, name: string): Meaning | undefined {
  const meanings = Object.keys(parameterNames) as Meaning[];
  return meanings.find((meaning) => parameterNames[meaning] === name);
}

/**
 * @param description null: nobody knows the scenario
 * @returns `files of 12 bytes`; of a parameter that has no words `NAME=10`
 */
export function parameterText(description: Described | null, name: string, value: number): string {
  const meaning = description && meaningOf(description, name);
  const words = meaning && WORDS[meaning];
  return words ? words(value, description.holdsConnections) : `${name}=${value}`;
}

/** @returns `nginx, HAProxy and http-proxy` */
export function list(words: string[]): string {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
