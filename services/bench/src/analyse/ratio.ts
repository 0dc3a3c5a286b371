/** Two settings, or two proxies, beside each other: what one costs in times of the other. */
import { median } from "simple-statistics";
import type { Comparison, Figure, Setting } from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import { isOnHostNetwork, isOnOverlay } from "../plan/network.ts";
import { CONTROL } from "../plan/proxies.ts";
import { versionName } from "../plan/versions.ts";
import { connectionsInAll, sizeNames, without } from "../plan/workload.ts";
import type { Meaning } from "../model/plan.ts";
import { meanRatio } from "../statistics/index.ts";
import { comparison, figure, inTimes, ratioFigure } from "./figures.ts";
import { measure } from "./measures.ts";
import {
  comparesServers,
  CONFIDENCE,
  holdsForSeconds,
  isSameBut,
  rangeOf,
  ratioOf,
  roundsIn,
  settingKey,
  stratifiedRatioOf,
  variantsIn,
} from "./settings.ts";
import type { Pool, Ratio, Run } from "./settings.ts";

/** CPU time, the first that is compared. */
const CPU = [
  "cpu_us_per_message",
  "cpu_us_per_handshake",
  "cpu_us_per_connection",
  "proxy_cpu_cores",
  "proxy_cpu_us_per_request",
  "servers_cpu_seconds",
];

/**
 * What TLS costs in CPU time: settings over wss beside those over ws with as many connections,
 * which are strata of one ratio.
 *
 * @param compared in the settings
 */
export function tls(run: Run, pools: Pool[], compared: Comparison[]): Comparison[] {
  const kinds = Map.groupBy(pools, ({ settings: [{ scenario, parameters, workload }] }) =>
    settingKey({ scenario, scheme: "ws", parameters: without(parameters, sizeNames(workload)) }),
  );
  return [...kinds.values()].flatMap((own) => {
    // What a battle gives fewer rounds, no answer needs.
    const [plain, secured] = (["ws", "wss"] as const).map((scheme) =>
      own
        .filter(({ settings }) => settings[0].scheme === scheme)
        .toSorted((a, b) => b.rounds - a.rounds)
        .at(0),
    );
    if (!plain || !secured) return [];
    const told = (setting: Setting) =>
      compared.filter(({ settings }) => settings.length === 1 && settings[0] === setting.key);
    const isMeasured = (setting: Setting) =>
      told(setting).some(({ figures }) =>
        figures.some(({ role, estimate }) => role === "proxy" && estimate),
      );
    const pairs = plain.settings.flatMap((ws): [Setting, Setting][] => {
      const wss = secured.settings.find(
        (other) => connectionsInAll(other.workload) === connectionsInAll(ws.workload),
      );
      return wss && isMeasured(ws) && isMeasured(wss) ? [[wss, ws]] : [];
    });
    const keys = new Set(plain.settings.flatMap(told).map((one) => one.measure.key));
    const key = CPU.find((one) => keys.has(one));
    if (!key || pairs.length === 0) return [];
    const [[, { workload }]] = pairs;
    const hasHandshake =
      key !== "cpu_us_per_message" && (comparesServers(workload) || keys.has("handshake_ms_mean"));
    return [
      comparison({
        question: "tls",
        measure: inTimes(measure(key)),
        settings: pairs.map(([wss]) => wss),
        beside: pairs.map(([, ws]) => ws),
        figures: ratios(run, key, pairs).map(({ proxy, ratio }) => ratioFigure(proxy, ratio)),
        flags: hasHandshake ? [flag("full-handshakes", "note", {})] : [],
      }),
    ];
  });
}

/** What differs, and from which value to which. */
const HANDSHAKES: { question: string; means: Meaning; over: number; under: number }[] = [
  { question: "resumed-handshake", means: "resumed", over: 1, under: 0 },
  { question: "rsa-handshake", means: "rsaBits", over: 2048, under: 0 },
  { question: "tls12-handshake", means: "tlsVersion", over: 1.2, under: 1.3 },
];

/** What one kind of TLS handshake costs beside another. */
export function handshakes(run: Run): Comparison[] {
  const all = run.settings.filter(({ workload }) => workload.compares === "handshakes");
  return HANDSHAKES.flatMap(({ question, means, over, under }) =>
    all.flatMap((setting) => {
      const { workload } = setting;
      // Of resumed handshakes only what they save is asked.
      if (workload[means] !== over || (means !== "resumed" && workload.resumed === 1)) return [];
      const beside = all.find(
        (one) => one.workload[means] === under && differsIn(means, one, setting),
      );
      return beside ? besides(run, question, ["cpu_us_per_connection"], setting, beside) : [];
    }),
  );
}

/**
 * What Docker's network costs beside the machine's own. Not relative to the reference, which is on
 * the same network: the ratio would hide the answer.
 */
export function networks(run: Run): Comparison[] {
  return run.settings.flatMap((setting) => {
    if (isOnHostNetwork(setting.workload)) return [];
    const beside = run.settings.find(
      (one) =>
        one.scheme === setting.scheme &&
        isOnHostNetwork(one.workload) &&
        differsIn("hostNetwork", one, setting),
    );
    const question = `${isOnOverlay(setting.workload) ? "overlay" : "bridge"}-network`;
    const keys = ["cpu_us_per_connection", "cpu_us_per_message"];
    return beside ? besides(run, question, keys, setting, beside) : [];
  });
}

const MULTIPLEXED = [
  "handshake_ms_median",
  "cpu_us_per_message",
  "proxy_memory_per_connection_bytes",
  "echo_latency_ms_median",
  "echo_latency_ms_p99",
];

/** WebSockets that share HTTP/2 connections beside the same on connections of their own. */
export function multiplexed(run: Run): Comparison[] {
  return run.settings.flatMap((setting) => {
    if (!setting.workload.streams) return [];
    const beside = run.settings.find(
      (one) => one.workload.streams === 0 && differsIn("streams", one, setting),
    );
    return beside ? besides(run, "multiplexed", MULTIPLEXED, setting, beside) : [];
  });
}

/** What a proxy costs while connections are opened, and while they are held. */
const COSTS_OPENING = ["cpu_us_per_connection"];
const COSTS_HOLDING = [
  "cpu_us_per_message",
  "proxy_memory_baseline_usage_bytes",
  "proxy_memory_per_connection_bytes",
];

/**
 * Variants, each beside its original: those that are not tuned, or all of a run about variants.
 *
 * @param slopes of memory over the numbers of connections, by which their settings are compared
 */
export function variants(run: Run, slopes: Comparison[]): Comparison[] {
  const { pairs, question } = variantsIn(run.results);
  if (pairs.length === 0) return [];
  const ofSlopes = new Set(slopes.flatMap(({ settings }) => settings));
  const settings = run.settings.filter(({ key }) => !ofSlopes.has(key));
  return settings.flatMap((setting) => {
    const costs = setting.workload.holdsConnections ? COSTS_HOLDING : COSTS_OPENING;
    return costs.flatMap((key) => {
      const figures = pairs.flatMap(([proxy, original]) => {
        const values = [proxy, original].map((name) => roundsIn(run, setting, name, key));
        const ratio = ratioOf(values[0], values[1], run.results.plan.seed);
        const medians = () => values.map((all) => median([...all.values()])) as [number, number];
        return ratio ? [ratioFigure(proxy, ratio, { medians: medians() })] : [];
      });
      if (figures.length === 0) return [];
      return comparison({ question, measure: inTimes(measure(key)), settings: [setting], figures });
    });
  });
}

/** Of messages, where a setting tells it; else of connections. */
const COSTS_OF_RELEASES = ["cpu_us_per_message", "cpu_us_per_connection"];

/** Versions of a proxy, each beside the one before it that has figures, in the rounds of both. */
export function releases(run: Run): Comparison[] {
  const { versions = {} } = run.results.plan;
  const families = Object.entries(versions).map(([proxy, own]) =>
    own.map((version) => versionName(proxy, version)),
  );
  return run.settings.flatMap((setting) => {
    if (holdsForSeconds(setting.workload)) return [];
    const told = COSTS_OF_RELEASES.map((key) => ({
      key,
      figures: families.flatMap((names) => besideTheLast(run, setting, names, key)),
    }));
    const first = told.find(({ figures }) => figures.length > 0);
    if (!first) return [];
    const { key, figures } = first;
    return comparison({
      question: "releases",
      measure: inTimes(measure(key)),
      settings: [setting],
      figures,
    });
  });
}

/** @param names of versions, the oldest first */
function besideTheLast(run: Run, setting: Setting, names: string[], key: string): Figure[] {
  const measured = names
    .map((name) => ({ name, values: roundsIn(run, setting, name, key) }))
    .filter(({ values }) => values.size > 0);
  return measured.slice(1).flatMap(({ name, values }, i) => {
    const { name: before, values: others } = measured[i];
    const ratios = [...values].flatMap(([round, value]) => {
      const other = others.get(round);
      return other === undefined ? [] : [value / other];
    });
    const ratio = meanRatio(ratios, CONFIDENCE);
    if (!ratio) return [];
    const medians = [values, others].map((all) => median([...all.values()])) as [number, number];
    return [ratioFigure(name, { ...ratio, rounds: rangeOf(ratios) }, { before, medians })];
  });
}

function differsIn(means: Meaning, a: Setting, b: Setting): boolean {
  return isSameBut(a.workload.parameterNames[means], a, b);
}

/** Without measures that no proxy has figures for in both. */
function besides(
  run: Run,
  question: string,
  keys: string[],
  setting: Setting,
  beside: Setting,
): Comparison[] {
  const medians = (proxy: string, key: string) =>
    [setting, beside].map((one) => median(valuesIn(run, one, proxy, key))) as [number, number];
  return keys.flatMap((key) => {
    const told = ratios(run, key, [[setting, beside]]);
    if (told.length === 0) return [];
    return comparison({
      question,
      measure: inTimes(measure(key)),
      settings: [setting],
      beside: [beside],
      figures: told.map(({ proxy, ratio }) =>
        ratioFigure(proxy, ratio, { medians: medians(proxy, key) }),
      ),
    });
  });
}

/** Of each proxy with counted cells in both of a pair: the first to the second. */
function ratios(
  run: Run,
  key: string,
  pairs: [Setting, Setting][],
): { proxy: string; ratio: Ratio }[] {
  const [[{ workload }]] = pairs;
  const { proxies, seed } = run.results.plan;
  return proxies
    .filter((proxy) => proxy !== CONTROL || comparesServers(workload))
    .flatMap((proxy) => {
      const rounds = pairs
        .map((pair) => pair.map((one) => roundsIn(run, one, proxy, key)))
        .filter((pair) => pair.every(({ size }) => size > 0)) as [
        Map<number, number>,
        Map<number, number>,
      ][];
      const ratio = rounds.length === 1 ? ratioOf(...rounds[0], seed) : stratifiedRatioOf(rounds);
      return ratio ? [{ proxy, ratio }] : [];
    });
}

function valuesIn(run: Run, setting: Setting, proxy: string, key: string): number[] {
  return [...roundsIn(run, setting, proxy, key).values()];
}

/**
 * A proxy beside the configuration in the reference's place, in turns within each cell: one ratio a
 * cell, which no change of the machine's speed between cells touches.
 *
 * @param compared in the settings
 */
export function baselines(run: Run, compared: Comparison[]) {
  if (run.results.plan.baseline === undefined) return [];
  const key = "cpu_us_per_connection";
  return compared
    .filter(({ question, settings: own }) => question === key && own.length === 1)
    .map(({ settings: [own], figures }) => {
      const [setting] = run.settings.filter((one) => one.key === own);
      return comparison({
        question: "baseline",
        measure: inTimes(measure(key)),
        settings: [setting],
        figures: figures.map(({ proxy, missing }) => {
          const ratios = valuesIn(run, setting, proxy, "cpu_per_connection_to_reference");
          const ratio = meanRatio(ratios, CONFIDENCE);
          if (!ratio) return { ...figure(proxy), missing };
          const medians = [key, "reference_cpu_us_per_connection"].map((of) =>
            median(valuesIn(run, setting, proxy, of)),
          ) as [number, number];
          return ratioFigure(proxy, { ...ratio, rounds: rangeOf(ratios) }, { medians });
        }),
      });
    });
}
