/**
 * What a run is going to do: `plan.json`, and `plan` in `results.json`.
 */
import Type, { type Static } from "typebox";
import * as shape from "./shapes.ts";

export const Scheme = shape.oneOf(["ws", "wss"], "ws: plain; wss: over TLS");
export type Scheme = Static<typeof Scheme>;

export const Parameters = shape.map(
  shape.number(),
  "of the scenario: environment variables of its script",
);
export type Parameters = Static<typeof Parameters>;

/** What a parameter means, whatever it is called: plan/scenario.schema.json describes each. */
export type Meaning =
  | "connections"
  | "concurrency"
  | "connectionsPerSecond"
  | "requests"
  | "messages"
  | "intervalSeconds"
  | "messagesPerSecond"
  | "arrivalsPerSecond"
  | "messageBytes"
  | "fileBytes"
  | "poisson"
  | "seed"
  | "phaseSeconds"
  | "quietSeconds"
  | "watchSeconds"
  | "stallSeconds"
  | "stalled"
  | "streams"
  | "backoff"
  | "backoffSeconds"
  | "settleSeconds"
  | "timeoutSeconds"
  | "threads"
  | "serverWorkers"
  | "tlsVersion"
  | "rsaBits"
  | "resumed"
  /** Of no scenario: of a cell that says its network (plan/network.ts). */
  | "hostNetwork";

/** Names of a scenario's parameters, by what they mean; absent: it has no such parameter. */
export type ParameterNames = Partial<Record<Meaning, string>>;

export const ScenarioDescription = shape.object(
  {
    description: shape.text(),
    runner: shape.oneOf(["k6", "node"], "of its script: the Compose services load and load-http"),
    protocol: shape.oneOf(["websocket", "http"]),
    loop: shape.oneOf(["closed", "open"]),
    holdsConnections: shape.flag(),
    dropsConnections: shape.flag(),
    usesReference: shape.optional(shape.flag()),
    referenceTurns: shape.optional(shape.flag()),
    compares: shape.oneOf(["proxies", "servers", "handshakes", "survival", "storm", "stalls"]),
    generatorThreads: shape.oneOf(["one", "all"]),
    backend: shape.text("image that stands behind the proxy: ws-proxy-bench/<backend>"),
    // A newer version may know other meanings.
    parameterNames: Type.Unsafe<ParameterNames>(shape.map(shape.text(), "by what each means")),
  },
  "what loadgen/<scenario>.json said of it: services/bench/src/plan/scenario.schema.json describes each key",
);
export interface ScenarioDescription extends Static<typeof ScenarioDescription> {}

/** A scenario's description, and the value of each parameter by what it means. */
export type Workload = ScenarioDescription &
  Partial<Record<Meaning, number>> & {
    /** Of the load that goes to the reference proxy beside it; 0: there is none. */
    referenceShare: number;
  };

export const LoadPromise = shape.object(
  {
    sloMs: shape.positive(
      "at most, in ms: p99 of the handshake, or on held connections of the echo, from when it was due",
    ),
    failedPercent: shape.amount("of connections asked for, at most"),
    sentPercent: shape.amount("of what was due, at least"),
    resolutionPercent: shape.optional(
      shape.positive("a step of the search near the limit; absent: 5"),
    ),
  },
  "what a rate has to keep to, of a battle that searches the highest such rate; absent: it searches none",
);
export interface LoadPromise extends Static<typeof LoadPromise> {}

export const CapacityPart = Type.Union(
  [
    shape.object(
      {
        part: shape.only("search"),
        lowest: shape.number("rate: below that none is tried"),
        highest: shape.number("rate: above that none is tried"),
      },
      "the search: several rates in one life of the containers, the first as in its parameters",
    ),
    shape.object(
      {
        part: shape.only("fresh"),
        search: shape.text("id of the cell that searched"),
        factor: Type.Number({ minimum: 1 }),
      },
      "a fresh cell. factor 1: at the rate that a search found, to be kept; above 1: at a rate to be broken, this many times the other at least. Its parameters have the search's first rate",
    ),
  ],
  { description: "its part in a search for the highest rate that keeps the promise; absent: none" },
);
export type CapacityPart = Static<typeof CapacityPart>;

export const PlannedCell = shape.object({
  id: shape.text("unique in the plan, and a folder's name: r1-nginx-short-lived-wss-5000"),
  round: shape.count("from 1", 1),
  proxy: shape.text("name in tables and charts"),
  profile: shape.text(
    "Compose profile that was started; differs from proxy when a proxy is compared with a copy of itself",
  ),
  scenario: shape.text("script in loadgen/"),
  scheme: Scheme,
  parameters: Parameters,
  warmUp: shape.nullable(Parameters, "parameters that differ while warming up; null: no warm-up"),
  loads: shape.count("load containers that share the connections", 1),
  servers: shape.optional(
    shape.count(
      "echo servers that share what comes from the proxy, as one address has too few ports; absent: one, or as many as the event says",
      2,
    ),
  ),
  limitSeconds: shape.number("a measured phase that takes longer has failed"),
  skip: shape.nullable(
    shape.text(),
    "why it is not run: what the proxy cannot do (of an event it begins with `has none`), or this machine; null: it is run",
  ),
  skipKind: shape.optional(
    shape.oneOf(
      ["left-out", "has-none", "unable"],
      "of skip: the battle leaves the control out, the proxy lacks what the event needs, proxy or machine cannot; absent: it is run, or the record is older",
    ),
  ),
  observed: shape.flag("InfluxDB and cAdvisor were up; false only in ./bench selfbench"),
  event: shape.optional(
    shape.text(
      "what happens in it once, a name of plan/events.json; absent: its scenario knows no events",
    ),
  ),
  capacity: shape.optional(CapacityPart),
});
export interface PlannedCell extends Static<typeof PlannedCell> {}

/** Of proxies that take part in several versions, each an entrant: by name, the oldest first. */
export type Versions = Record<string, string[]>;

export const Plan = shape.object({
  schema: shape.only(2),
  battle: shape.text("name of the battle's file, without its ending"),
  title: shape.text(),
  published: shape.nullable(
    shape.text(),
    "a file in battles/published/ whose figures are shown beside these",
  ),
  proxies: shape.list(shape.text(), "in the order of proxies/; always with the control, none"),
  rounds: shape.count(),
  seed: Type.Integer({ description: "of the order of cells" }),
  proxyCpus: shape.amount("CPU budget of the proxy in cores; 0: none"),
  referenceShare: shape.optional(
    Type.Number({
      minimum: 0,
      maximum: 0.5,
      description:
        "share of the load that goes to the reference proxy, where a scenario uses it; 0 or absent: there is none",
    }),
  ),
  baseline: shape.optional(
    shape.text(
      "title of a configuration that has the reference's place; absent: that is the reference",
    ),
  ),
  sideBySide: shape.optional(
    shape.only(true, "all proxies of a setting and round ran at once; absent: one after the other"),
  ),
  promise: shape.optional(LoadPromise),
  workers: shape.nullable(
    shape.count(undefined, 1),
    "processes or threads of the proxy, and of the echo server; null: as in .env",
  ),
  keyType: shape.oneOf(["ecdsa", "rsa"]),
  pilot: shape.optional(
    Type.Unknown({ description: "of an older record: how the rates of its cells were found" }),
  ),
  versions: shape.optional(
    shape.map(
      shape.list(shape.text()),
      "of proxies that take part in several versions, by name; absent: none does",
    ),
  ),
  events: shape.optional(
    shape.map(
      shape.text(),
      "what is done in each event of its cells, by name, in the battle's order; absent: it has none",
    ),
  ),
  scenarios: shape.map(ScenarioDescription, "those of the cells, by name"),
  cells: shape.list(PlannedCell, "in the order in which they run"),
});
export interface Plan extends Static<typeof Plan> {}
