/**
 * A run's analysis as one list of comparisons.
 */
import { CONTROL } from "../plan/proxies.js";
import { measure as measureOf } from "./measures.js";
import { compareSettings } from "./settings.js";
import { delayCells, slopeCells } from "./overview.js";
import { versionsOf } from "./versions.ts";
import type {
  Comparison,
  Comparisons,
  Estimate,
  Extra,
  Figure,
  Flag,
  Measure,
  MeasureKind,
  Missing,
  Reported,
  Setting,
} from "../model/comparison.ts";
import type * as old from "./types.d.ts";
import type { Estimate as OldEstimate } from "../statistics/types.d.ts";

/** Of a number in comparisons.json: eight significant digits, so that it does not grow with noise. */
const DIGITS = 8;

/** comparisons.json: one comparison a line, so that a change of one shows as that. */
export function comparisonsJson(file: Comparisons): string {
  const short = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? +value.toPrecision(DIGITS) : value;
  const { comparisons, ...head } = file;
  const lines = comparisons.map((one) => `    ${JSON.stringify(one, short)}`);
  const opening = JSON.stringify(head, short, 2).replace(/\n}$/, "");
  return `${opening},\n  "comparisons": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** All that is read of a run: its comparisons, and what they are of. */
export function comparisonsFileOf(analysis: old.Analysis): Comparisons {
  const { results, settings, capacities, survivals, storms, stalls, findings } = analysis;
  const all = [...settings, ...capacities, ...survivals, ...storms, ...stalls];
  return {
    schema: 1,
    battle: results.plan.battle,
    title: results.plan.title,
    startedAt: results.run.startedAt,
    rounds: results.plan.rounds,
    proxies: results.proxies.map(({ name, title, colour, variantOf, parts }) => ({
      name,
      title,
      ...(colour && { colour }),
      ...(variantOf && { variantOf: variantOf.proxy }),
      version: versionsOf(results, parts).join(" + ") || null,
    })),
    settings: Object.fromEntries(
      all.map(({ key, scenario, scheme, parameters, workload }) => [
        key,
        { key, scenario, scheme, parameters, workload },
      ]),
    ),
    flags: findings.map(flagOf),
    comparisons: comparisonsOf(analysis),
  };
}

/** What a report is made of. */
export function reportedOf(analysis: old.Analysis): Reported {
  const { results, cells, searchCells, experimentCells } = analysis;
  const judged = new Map(
    [...cells, ...searchCells, ...experimentCells].map((cell) => [cell.record, cell]),
  );
  return {
    comparisons: comparisonsFileOf(analysis),
    results,
    cells: results.cells.flatMap((record) => {
      const { findings, ...cell } = judged.get(record) ?? { findings: null };
      return findings && "record" in cell ? [{ ...cell, flags: findings.map(flagOf) }] : [];
    }),
  };
}

interface About {
  question: string;
  measure: Measure;
  settings: Pick<Setting, "key" | "scheme">[];
  beside?: Pick<Setting, "key">[];
  event?: string;
  figures: Figure[];
  flags?: Flag[];
  detectable?: number | null;
}

/** All comparisons of a run, in a fixed order. */
export function comparisonsOf(analysis: old.Analysis): Comparison[] {
  return [
    ...analysis.pools.flatMap((pool) => ofPool(analysis, pool)),
    ...analysis.delays.flatMap(ofDelay),
    ...analysis.slopes.flatMap((one) => ofSlopes(analysis, one)),
    ...analysis.courses.flatMap(ofCourse),
    ...analysis.verdicts.flatMap(ofTlsVerdict),
    ...analysis.handshakes.flatMap(({ kind, pairs }) =>
      pairs.map(({ setting, beside, ratios }) =>
        comparison({
          question: `${kind}-handshake`,
          measure: inTimes(named("cpu_us_per_connection")),
          settings: [setting],
          beside: [beside],
          figures: ratios.map(({ proxy, ratio }) => ratioFigure(proxy, ratio)),
        }),
      ),
    ),
    ...analysis.networkCosts.flatMap(({ network, setting, beside, measures }) =>
      measures.map(({ measure, rows }) =>
        comparison({
          question: `${network}-network`,
          measure: inTimes(named(measure)),
          settings: [setting],
          beside: [beside],
          figures: rows.map(({ proxy, ratio, medians }) => ratioFigure(proxy, ratio, { medians })),
        }),
      ),
    ),
    ...analysis.multiplexing.flatMap(({ setting, beside, measures }) =>
      measures.map(({ measure, rows }) =>
        comparison({
          question: "multiplexed",
          measure: inTimes(named(measure)),
          settings: [setting],
          beside: [beside],
          figures: rows.map(({ proxy, ratio, shared, own }) =>
            ratioFigure(proxy, ratio, { medians: [shared, own] }),
          ),
        }),
      ),
    ),
    ...analysis.capacities.map(ofCapacity),
    ...analysis.survivals.flatMap(ofSurvival),
    ...analysis.storms.flatMap(ofStorm),
    ...analysis.stalls.flatMap(ofStall),
    ...[...(analysis.aa ? [analysis.aa] : []), ...analysis.sameWork].flatMap(ofCopy),
  ];
}

function comparison({ beside, event, flags = [], detectable = null, ...about }: About): Comparison {
  const keys = about.settings.map(({ key }) => key);
  const { question, measure, figures } = about;
  const id = [question, measure.key, event, ...keys].filter(Boolean).join("/");
  return {
    id,
    question,
    measure,
    scheme: about.settings[0].scheme,
    settings: keys,
    beside: beside?.map(({ key }) => key) ?? null,
    event: event ?? null,
    figures,
    flags,
    detectable,
  };
}

function ofPool(analysis: old.Analysis, pool: old.PlannedPool): Comparison[] {
  const own = pool.settings.map((setting) => ({
    settings: [setting],
    comparisons: setting.comparisons,
  }));
  const all = pool.settings.length > 1 ? [pool, ...own] : own;
  return all.flatMap(({ settings, comparisons }) =>
    comparisons.map((one) =>
      comparison({
        question: one.measure,
        measure: named(one.measure),
        settings,
        figures: one.rows.map((row) => rowFigure(analysis, settings, one, row)),
        flags: one.findings.map(flagOf),
        detectable: one.detectableRatio,
      }),
    ),
  );
}

function rowFigure(
  analysis: old.Analysis,
  settings: old.Setting[],
  { measure, relations }: old.Comparison,
  row: old.Row,
): Figure {
  const { proxy, p, badPercent } = row;
  const indices = analysis.machineIndices
    .filter((one) => one.measure === measure)
    .filter(({ setting }) => settings.some(({ key }) => key === setting))
    .flatMap(({ proxies }) => proxies.find((one) => one.proxy === proxy) ?? []);
  const places =
    settings.length === 1 &&
    /^(servers_cpu_seconds|cpu_us_per_connection|cpu_us_per_message|proxy_cpu_us_per_request)$/.test(
      measure,
    )
      ? analysis.cpuByPlace
          .filter((one) => one.settings.length === 1 && one.settings[0].key === settings[0].key)
          .flatMap(({ rows }) => rows.find((one) => one.proxy === proxy)?.places ?? [])
          .map(({ place, service, total }) => ({ place, service, value: total.value }))
      : [];
  const bad =
    settings.length === 1 && measure === "non_2xx_percent"
      ? analysis.badAnswers.find(
          (one) => one.proxy === proxy && one.setting.key === settings[0].key,
        )
      : undefined;
  return {
    ...figure(proxy),
    estimate: estimate(row.median),
    toBest: estimate(row.toBest),
    toControl: estimate(row.toControl),
    rounds: row.values,
    rank: row.rank,
    tied: row.ties,
    missing: row.missing.map(missingOf),
    extra: {
      ...(p !== null && { p }),
      ...(relations[proxy] && { relation: relations[proxy] }),
      ...(badPercent > 0 && { badPercent }),
      ...(indices.length > 0 &&
        indices.length === settings.length && {
          toReference: indices.reduce((sum, one) => sum + one.toReference, 0) / indices.length,
        }),
      ...(indices.length === 1 &&
        settings.length === 1 && {
          spread: { rawPercent: indices[0].rawPercent, heldPercent: indices[0].heldPercent },
        }),
      ...(places.length > 0 && { places }),
      ...(bad && {
        count: bad.bad,
        of: bad.asked,
        causes: [
          ...bad.statuses.map(({ status, count }) => ({ what: status, count })),
          ...bad.socketErrors.map(({ kind, count }) => ({ what: kind, count })),
          ...bad.causes.map(({ service, line, count, usual }) => ({
            what: `${service}: ${line}${usual ? ` (${usual})` : ""}`,
            count,
          })),
        ],
      }),
    },
  };
}

function ofDelay({ setting, kind, rows }: old.Delay): Comparison[] {
  const suffixes = ["median", "p99", "p999"];
  const prefix = kind === "handshake" ? "handshake_ms" : "echo_latency_ms";
  return suffixes.map((suffix, i) => {
    const tested = setting.comparisons.find(({ measure }) => measure === `${prefix}_${suffix}`);
    const cells = suffix === "p99" ? delayCells(rows) : [];
    return comparison({
      question: `${kind}-at-rate`,
      measure: named(`${prefix}_${suffix}`),
      settings: [setting],
      figures: rows.map((row) => {
        const { proxy, samples, percentiles, curve, missing } = row;
        const { ms, added, relation, rank, ties } = percentiles[i];
        const cell = cells.find((one) => one.proxy === proxy);
        return {
          ...figure(proxy),
          estimate: estimate(ms),
          toBest: cell?.isBest ? one() : estimate(cell?.ratio ?? null),
          rounds: ms?.rounds ?? [],
          rank,
          tied: ties,
          missing: missing.map(missingOf),
          extra: {
            samples,
            ...(added && { added: estimate(added) }),
            ...(relation && { relation }),
            ...(suffix === "p99" && {
              curve: curve.map(({ beyond, ms: at }): [number, number] => [beyond, at]),
            }),
          },
        };
      }),
      flags: (tested?.findings ?? []).filter(({ gate }) => gate !== "control-slower").map(flagOf),
      detectable: tested?.detectableRatio ?? null,
    });
  });
}

function ofSlopes({ settings: all }: old.Analysis, slopes: old.Slopes): Comparison[] {
  const { scenario, scheme, parameters, parts, unranked } = slopes;
  const settings = all.filter(
    (one) =>
      one.scenario === scenario &&
      one.scheme === scheme &&
      Object.entries(parameters).every(([name, value]) => one.parameters[name] === value),
  );
  const without = parts[0].rows.filter(({ proxy, slope }) => proxy !== CONTROL && !slope);
  return parts.map(({ measure, rows }, part) => {
    const cells = part === 0 ? slopeCells(rows, ({ slope }) => slope) : [];
    return comparison({
      question: "memory-per-connection",
      measure: named(measure),
      settings: settings.toSorted(compareSettings),
      figures: rows.map((row) => {
        const cell = cells.find(({ proxy }) => proxy === row.proxy);
        return {
          ...figure(row.proxy),
          estimate: estimate(row.slope),
          toBest: cell?.isBest ? one() : estimate(cell?.ratio ?? null),
          rank: row.rank,
          tied: row.ties,
          missing: row.slope
            ? []
            : row.ended
              ? [missingOf(row.ended.why)]
              : row.missing
                ? [row.missing as Missing]
                : [],
          extra: {
            baseline: estimate(row.baseline),
            ended: row.ended && { ...row.ended, why: missingOf(row.ended.why) },
            curve: row.points.map(({ connections, growthBytes }): [number, number] => [
              connections,
              growthBytes,
            ]),
          },
        };
      }),
      flags: [
        ...(part === 0 && without.length > 0
          ? [
              {
                code: "no-slope",
                severity: "weak" as const,
                figures: { proxies: without.map(({ proxy }) => proxy) },
              },
            ]
          : []),
        ...(part === 0 && unranked ? [flagOf(unranked)] : []),
      ],
    });
  });
}

const TRENDS: Record<old.CoursePart["what"], Measure> = {
  usageBytes: own("memory_per_hour", "Memory growth per hour", "bytes", "memory"),
  rssBytes: own("anonymous_memory_per_hour", "Anonymous memory growth per hour", "bytes", "memory"),
  tcpInUse: own("sockets_per_hour", "Socket growth per hour", "", "count"),
  descriptors: own("descriptors_per_hour", "Descriptor growth per hour", "", "count"),
};

function ofCourse({ setting, rows }: old.Course): Comparison[] {
  return rows[0].parts.map(({ what }, i) =>
    comparison({
      question: "trend",
      measure: TRENDS[what],
      settings: [setting],
      figures: rows.map(({ proxy, hours, parts, missing }) => {
        const { perHour, from, to, grows } = parts[i];
        return {
          ...figure(proxy),
          estimate: estimate(perHour),
          missing: missing.map(missingOf),
          extra: { from, to, grows, hours },
        };
      }),
    }),
  );
}

function ofTlsVerdict(verdict: old.Verdict): Comparison[] {
  if (verdict.question !== "tls") return [];
  return verdict.answers.map(({ settings, ratios }) =>
    comparison({
      question: "tls",
      measure: inTimes(named(verdict.measure)),
      settings: settings.filter((_, i) => i % 2 === 0),
      beside: settings.filter((_, i) => i % 2 === 1),
      figures: ratios.map(({ proxy, ratio }) => ratioFigure(proxy, ratio)),
      flags: verdict.caveats.map(flagOf),
    }),
  );
}

function ofCapacity({ answers, ...setting }: old.CapacitySetting): Comparison {
  const key = setting.workload.holdsConnections ? "messages_per_second" : "connections_per_second";
  return comparison({
    question: "capacity",
    measure: named(key),
    settings: [setting],
    figures: answers.map((answer) => {
      const { proxy, low, high, rank, ties, why, points } = answer;
      return {
        ...figure(proxy),
        estimate: low === null ? null : { value: low, low, high, basis: "bracket" },
        rank,
        tied: ties,
        missing: low === null && why !== null ? [{ kind: "skipped", why }] : [],
        extra: {
          search: {
            confirmed: answer.kind === "confirmed",
            fresh: answer.fresh,
            brokeFirst: answer.brokeFirst,
            perCore: answer.perCore.low,
            generatorPercent: answer.generatorPercent,
            budgetPercent: answer.budgetPercent,
            points: points.map(({ rate, verdict, isFresh, p99Ms }) => ({
              rate,
              verdict,
              fresh: isFresh,
              p99Ms,
            })),
          },
        },
      };
    }),
  });
}

/** What is told of each event, a row each: a share of all repetitions, or a figure of them. */
const EVENT_ROWS: {
  question: string;
  measure: Measure;
  of: (figures: old.SurvivalFigures) => {
    estimate: Estimate | null;
    rounds?: number[];
    extra?: Extra;
  };
}[] = [
  {
    question: "lost",
    measure: own("lost", "Connections lost", "%", "share"),
    of: ({ lost, ends, steps, timeline, oldProcesses, rounds, lostByRound }) => ({
      ...share(lost, {
        causes: ends,
        steps,
        around: Object.fromEntries(
          Object.entries(timeline).map(([name, points]) => [
            name,
            points.map(({ seconds, value }: old.CurvePoint): [number, number] => [seconds, value]),
          ]),
        ),
        ...(oldProcesses && { outcome: oldProcesses.kind }),
      }),
      rounds: lostByRound.slice(0, rounds),
    }),
  },
  {
    question: "failed",
    measure: own("failed", "New connections failed", "%", "share"),
    of: ({ probes }) => share(probes.failed, { causes: probes.causes }),
  },
  {
    question: "slow",
    measure: own("slow", "New connections that were slow", "%", "share"),
    of: ({ probes }) => share(probes.slow),
  },
  {
    question: "failing-seconds",
    measure: own("failing_seconds", "Until new connections stopped failing", "s", "time"),
    of: ({ probes }) => ({ estimate: plain(probes.lastFailedSeconds) }),
  },
  {
    question: "messages-lost",
    measure: own("messages_lost", "Messages lost", "%", "share"),
    of: ({ messages }) => share(messages),
  },
  {
    question: "silence",
    measure: own("silence_ms", "Longest silence of a surviving connection", "ms", "time"),
    of: ({ silenceMs }) => ({ estimate: plain(silenceMs) }),
  },
  {
    question: "newcomers",
    measure: {
      ...own("newcomers", "New connections sent to an added backend", "%", "share"),
      better: "higher",
    },
    of: ({ servers }) => share(servers?.newcomers ?? null),
  },
  {
    question: "new-configuration",
    measure: own("new_configuration_ms", "Until the new configuration answered", "ms", "time"),
    of: ({ newGeneration }) => ({
      estimate: newGeneration && {
        ...plain(newGeneration.ms)!,
        high: newGeneration.mostMs,
        basis: "range",
      },
    }),
  },
  {
    question: "old-processes",
    measure: own("old_processes_s", "Until the old processes had ended", "s", "time"),
    of: ({ oldProcesses }) => ({
      estimate:
        oldProcesses?.kind === "gone"
          ? { ...plain(oldProcesses.seconds)!, high: oldProcesses.mostSeconds, basis: "range" }
          : null,
      extra: oldProcesses ? { outcome: oldProcesses.kind } : {},
    }),
  },
  {
    question: "event-memory",
    measure: own("event_memory_times", "Highest memory after the event", "times", "memory"),
    of: ({ memoryBytes }) => ({ estimate: plain(memoryBytes?.peakRatio ?? null) }),
  },
  {
    question: "event-cpu",
    measure: own("event_cpu_cores", "CPU after the event", "cores", "cpu"),
    of: ({ cores }) => ({
      estimate: plain(cores?.after ?? null),
      extra: cores ? { from: cores.before, to: cores.after } : {},
    }),
  },
];

function ofSurvival({ events, ...setting }: old.SurvivalSetting): Comparison[] {
  return events
    .flatMap(({ event, answers }) =>
      EVENT_ROWS.map(({ question, measure, of }) =>
        comparison({
          question,
          measure,
          settings: [setting],
          event,
          figures: answers.map(({ proxy, figures, missing, beyondControl }) => {
            const told = figures ? of(figures) : { estimate: null };
            const relation =
              beyondControl && (question === "lost" || question === "failed")
                ? beyondControl[question]
                : null;
            return {
              ...figure(proxy),
              ...told,
              rounds: told.rounds ?? [],
              missing: missing.map(missingOf),
              extra: {
                ...told.extra,
                ...(relation !== null && { relation: relation ? "worse" : "same" }),
              } as Extra,
            };
          }),
        }),
      ),
    )
    .filter(({ figures }) =>
      figures.some(({ estimate, missing }) => estimate || missing.length > 0),
    );
}

const STORM_ROWS: {
  measure: Measure;
  of: (figures: old.StormFigures) => {
    estimate: Estimate | null;
    rounds?: number[];
    extra?: Extra;
  };
}[] = [
  {
    measure: own("back_ms_p99", "Until 99 % are back", "ms", "time"),
    of: ({ ms, curve, causes }) => ({
      ...rounds(ms.p99),
      extra: {
        causes,
        around: { back: curve.map(({ seconds, value }): [number, number] => [seconds, value]) },
      },
    }),
  },
  {
    measure: own("back_ms_p50", "Until half are back", "ms", "time"),
    of: ({ ms }) => rounds(ms.p50),
  },
  {
    measure: own("back_ms_p100", "Until all are back", "ms", "time"),
    of: ({ ms }) => rounds(ms.p100),
  },
  {
    measure: { ...own("back", "Connections back", "%", "share"), better: "higher" },
    of: ({ back }) => share(back),
  },
  {
    measure: own("back_attempts", "Attempts per connection", "", "count"),
    of: ({ attempts }) => ({ estimate: plain(attempts) }),
  },
  {
    measure: own("storm_cpu_seconds", "CPU of the storm", "s", "cpu"),
    of: ({ cpuSeconds }) => ({ estimate: plain(cpuSeconds) }),
  },
  {
    measure: own("storm_memory_bytes", "Memory growth in the storm", "bytes", "memory"),
    of: ({ growthBytes }) => ({ estimate: plain(growthBytes) }),
  },
];

function ofStorm({ answers, ...setting }: old.StormSetting): Comparison[] {
  return STORM_ROWS.map(({ measure, of }, i) =>
    comparison({
      question: "storm",
      measure,
      settings: [setting],
      figures: answers.map(({ proxy, figures, missing, toControl, isSlower }) => {
        const told = figures ? of(figures) : { estimate: null };
        return {
          ...figure(proxy),
          ...told,
          toControl: i === 0 ? plain(toControl) : null,
          rounds: told.rounds ?? [],
          missing: missing.map(missingOf),
          extra: {
            ...told.extra,
            ...(i === 0 && isSlower !== null && { relation: isSlower ? "worse" : "same" }),
          } as Extra,
        };
      }),
    }),
  );
}

const STALL_ROWS: { measure: Measure; of: (figures: old.StallFigures) => old.Rounds | null }[] = [
  {
    measure: own("stalled_bytes", "Memory per slow reader", "bytes", "memory"),
    of: ({ bytes }) => bytes.all,
  },
  {
    measure: own("stalled_user_bytes", "Anonymous memory per slow reader", "bytes", "memory"),
    of: ({ bytes }) => bytes.user,
  },
  {
    measure: own("stalled_kernel_bytes", "Kernel memory per slow reader", "bytes", "memory"),
    of: ({ bytes }) => bytes.kernel,
  },
  {
    measure: own("stalled_socket_bytes", "Socket memory per slow reader", "bytes", "memory"),
    of: ({ bytes }) => bytes.sockets,
  },
  {
    measure: own("echo_p99_before", "Echo p99 of the others before", "ms", "time"),
    of: ({ p99Ms }) => p99Ms.quiet,
  },
  {
    measure: own("echo_p99_beside", "Echo p99 of the others beside slow readers", "ms", "time"),
    of: ({ p99Ms }) => p99Ms.stalled,
  },
];

function ofStall({ answers, controlTookAll, ...setting }: old.StallSetting): Comparison[] {
  return STALL_ROWS.map(({ measure, of }, i) =>
    comparison({
      question: "slow-readers",
      measure,
      settings: [setting],
      figures: answers.map(({ proxy, figures, missing }) => ({
        ...figure(proxy),
        ...rounds(figures && of(figures)),
        missing: missing.map(missingOf),
        extra:
          i === 0 && figures
            ? {
                outcome: figures.bound,
                from: figures.sentBytes.min,
                to: figures.sentBytes.max,
                medians: [figures.sentBytes.median, figures.lostBytes],
                causes: figures.ends,
              }
            : {},
      })),
      flags:
        i === 0 && controlTookAll
          ? [{ code: "control-took-all", severity: "weak", figures: {} }]
          : [],
    }),
  ).filter(({ figures }) =>
    figures.some(({ estimate, missing }) => estimate || missing.length > 0),
  );
}

function ofCopy({ proxy, copy, isCopy, unobserved, settings }: old.SelfComparison): Comparison[] {
  return settings.flatMap(({ setting, measures }) =>
    measures.map(({ measure, original, copy: second, ratio, differs, p, detectableRatio }) =>
      comparison({
        question: isCopy ? (unobserved ? "observers" : "aa") : "same-work",
        measure: inTimes(named(measure)),
        settings: [setting],
        event: `${copy}-${proxy}`,
        figures: [
          ratioFigure(copy, ratio, {
            medians: [second.value, original.value],
            ...(p !== null && { p }),
            ...(differs !== null && { outcome: differs ? "differs" : "tie" }),
          }),
        ],
        detectable: detectableRatio,
      }),
    ),
  );
}

function figure(proxy: string): Figure {
  return {
    proxy,
    role: proxy === CONTROL ? "control" : "proxy",
    estimate: null,
    toBest: null,
    toControl: null,
    rounds: [],
    rank: null,
    tied: [],
    missing: [],
    extra: {},
  };
}

function ratioFigure(proxy: string, ratio: old.Ratio, extra: Extra = {}): Figure {
  return { ...figure(proxy), estimate: estimate(ratio), extra };
}

/** Of an estimate without an interval, the range of its rounds where it has one. */
function estimate(
  of: (OldEstimate & { rounds?: [number, number] | null }) | null | undefined,
): Estimate | null {
  if (!of) return null;
  const { value, interval, rounds } = of;
  if (interval) return { value, low: interval[0], high: interval[1], basis: "ci95" };
  return { value, low: rounds?.[0] ?? null, high: rounds?.[1] ?? null, basis: "range" };
}

function one(): Estimate {
  return { value: 1, low: null, high: null, basis: "range" };
}

function plain(value: number | null): Estimate | null {
  return value === null ? null : { value, low: null, high: null, basis: "range" };
}

function rounds(of: old.Rounds | null): { estimate: Estimate | null; rounds: number[] } {
  if (!of) return { estimate: null, rounds: [] };
  const { median, lowest, highest, values } = of;
  return {
    estimate: { value: median, low: lowest, high: highest, basis: "range" },
    rounds: values,
  };
}

/** A share in %. */
function share(of: old.Share | null, extra: Extra = {}) {
  if (!of) return { estimate: null, extra };
  const { count, of: all, value, interval } = of;
  const estimate: Estimate = {
    value: 100 * value,
    low: 100 * interval[0],
    high: 100 * interval[1],
    basis: "exact",
  };
  return { estimate, extra: { count, of: all, ...extra } };
}

function inTimes(measure: Measure): Measure {
  return { ...measure, unit: "times" };
}

function own(key: string, title: string, unit: string, kind: MeasureKind): Measure {
  return { key, title, unit, kind, better: "lower" };
}

function named(key: string): Measure {
  const { title, unit, better } = measureOf(key);
  return { key, title, unit, kind: kindOf(key, unit), better };
}

function kindOf(key: string, unit: string): MeasureKind {
  if (/cpu|reference/.test(key)) return "cpu";
  if (unit === "bytes" && key.includes("memory")) return "memory";
  if (unit === "ms" || unit === "s") return "time";
  return unit === "%" ? "share" : "count";
}

function flagOf({ gate, severity, figures, voids, cells }: old.Finding): Flag {
  return {
    code: gate,
    severity,
    figures: figures as Record<string, unknown>,
    ...(voids && { voids }),
    ...(cells && { cells }),
  };
}

function missingOf(missing: old.Missing): Missing {
  switch (missing.kind) {
    case "has-none":
      return { kind: "unsupported", why: missing.why };
    case "invalid":
    case "voided":
      return { kind: missing.kind, flag: flagOf(missing.finding) };
    default:
      return missing;
  }
}
