/** What a scenario puts a proxy under, in words: its parameters by what they mean. */
import { number } from "../numbers.ts";
import type { Meaning, Parameters, ScenarioDescription } from "../model/plan.ts";

type Described = Pick<ScenarioDescription, "parameterNames" | "holdsConnections">;

/**
 * Parameters in words, in the order in which a reader wants to know them; `holds`: connections are
 * held.
 */
const WORDS: Partial<Record<Meaning, (value: string, holds: boolean) => string>> = {
  connections: (value) => `${value} connections`,
  connectionsPerSecond: (value, holds) =>
    holds ? `opened at ${value}/s` : `${value} new connections/s`,
  messagesPerSecond: (value) => `${value} messages/s`,
  arrivalsPerSecond: (value) => `${value} more connections/s`,
  concurrency: (value) => `${value} at a time`,
  requests: (value) => `${value} requests`,
  messages: (value) => `${value} messages per connection`,
  messageBytes: (value) => `${value}-byte messages`,
  fileBytes: (value) => `${value}-byte file`,
  intervalSeconds: (value) => `a message every ${value} s`,
  streams: (value) => (value === "0" ? "a connection each" : `${value} on each HTTP/2 connection`),
  stalled: (value) => `${value} slow readers`,
  backoff: (value) => oneOf(value, ["back at once", "fixed back-off", "back-off with full jitter"]),
  backoffSeconds: (value) => `back-off ${value} s`,
  hostNetwork: (value) =>
    oneOf(value, ["Docker's network", "the machine's own network", "overlay network"]),
  tlsVersion: (value) => `TLS ${value}`,
  rsaBits: (value) => (value === "0" ? "ECDSA" : `RSA ${value.replace(",", "")}`),
  resumed: (value) => oneOf(value, ["full handshakes", "resumed handshakes"]),
  phaseSeconds: (value) => `for ${value} s`,
  quietSeconds: (value) => `quiet for ${value} s`,
  watchSeconds: (value) => `watched for ${value} s`,
  stallSeconds: (value) => `stopped for ${value} s`,
  threads: (value) => `${value} client threads`,
  serverWorkers: (value) => `${value} server processes`,
  poisson: (value) => oneOf(value, ["evenly spaced", "Poisson arrivals"]),
  settleSeconds: (value) => `read again after ${value} s`,
  timeoutSeconds: (value) => `timeout ${value} s`,
  seed: (value) => `seed ${value}`,
};

function oneOf(value: string, words: string[]): string {
  return words[Number(value)] ?? value;
}

export const MEANINGS = Object.keys(WORDS) as Meaning[];

/**
 * @param names of its parameters, in any order: InfluxDB has them by the alphabet
 * @returns those that mean something first, in the order in which a reader wants to know them
 */
export function inReadingOrder({ parameterNames }: Described, names: string[]): string[] {
  const told = MEANINGS.flatMap((meaning) => parameterNames[meaning] ?? []);
  return [
    ...told.filter((name) => names.includes(name)),
    ...names.filter((name) => !told.includes(name)),
  ];
}

/** @returns undefined: it is the script's own affair */
function meaningOf({ parameterNames }: Described, name: string): Meaning | undefined {
  const meanings = Object.keys(parameterNames) as Meaning[];
  return meanings.find((meaning) => parameterNames[meaning] === name);
}

/** Names of values, in which no comma stands. */
const NAMES: (Meaning | null | undefined)[] = ["tlsVersion", "rsaBits", "seed"];

/**
 * @param description null: nobody knows the scenario
 * @param values several, where it stands for a pool: `1,000 to 5,000 connections`
 * @returns of a parameter that has no words `NAME=10`
 */
export function parameterText(
  description: Described | null,
  name: string,
  values: number | number[],
): string {
  const meaning = description && meaningOf(description, name);
  const words = meaning && WORDS[meaning];
  const all = Array.isArray(values) ? values : [values];
  if (!words) return `${name}=${all.join(", ")}`;
  const shown = all.map(NAMES.includes(meaning) ? String : number);
  const text = words(
    shown.length > 2 ? `${shown[0]} to ${shown.at(-1)}` : list(shown),
    description.holdsConnections,
  );
  return text.replace(/^1 ([a-z]+)s\b/, "1 $1");
}

/** @returns `nginx, HAProxy and http-proxy` */
export function list(words: string[]): string {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Of how a load is watched; all else that a parameter may mean says what it does. */
const ASIDE: (Meaning | undefined)[] = [undefined, "timeoutSeconds", "settleSeconds"];

/**
 * @param loads of one scenario; null: that is not known
 * @returns its main parameters, with every value that one of the loads has
 */
export function loadText(
  loads: { parameters: Parameters | null; description: ScenarioDescription | null }[],
): string {
  const known = loads.map(({ parameters }) => parameters ?? {});
  const [{ description }] = loads;
  const all = [...new Set(known.flatMap(Object.keys))];
  const isTold = (name: string) => !description || !ASIDE.includes(meaningOf(description, name));
  const names = (description ? inReadingOrder(description, all) : all).filter(isTold);
  return names
    .map((name) => {
      const values = [...new Set(known.flatMap((parameters) => parameters[name] ?? []))];
      return valuesText(
        (value) => parameterText(description, name, value),
        values.sort((a, b) => a - b),
      );
    })
    .join(", ");
}

/** @returns `1,000 and 5,000 connections`, `full handshakes and resumed handshakes` */
function valuesText(textOf: (value: number) => string, values: number[]): string {
  const texts = values.map(textOf);
  const figure = number(values[values.length - 1]);
  const text = texts[texts.length - 1];
  const isFigured = values.every((value, i) => texts[i].replace(number(value), figure) === text);
  return isFigured && text.includes(figure)
    ? text.replace(figure, list(values.map(number)))
    : list(texts);
}
