/**
 * What --dry-run prints: the sum, a row a load, and what is left out; with --verbose every cell.
 */
import { counted } from "../numbers.ts";
import { listed, settingLabel } from "../plan/describe.ts";
import { estimateSeconds, formatDuration } from "../plan/estimate.ts";
import { roundsBySetting } from "../plan/rounds.ts";
import { reasonIn, skipKindOf } from "../plan/skips.ts";
import { schemeName, workloadOf } from "../plan/workload.ts";
import type { Parameters, Plan, PlannedCell } from "../model/plan.ts";
import { columnsText } from "./columns.ts";
import { loadText } from "./load-text.ts";

const WIDTH = 80;

export function planText(plan: Plan, { verbose = false }: { verbose?: boolean } = {}): string {
  const { battle, cells, rounds, proxies } = plan;
  const measured = cells.filter(({ skip }) => skip === null);
  return [
    `${battle}: ${sumText(plan)}, ${counted(rounds, "round")}`,
    "",
    ...columnsText(loadRows(plan, measured), WIDTH),
    "",
    ...columnsText(
      [
        ["proxies", proxies.join(", ")],
        ...skipRows(cells),
        ...promiseRows(plan),
        ...(verbose ? detailRows(plan) : []),
      ],
      WIDTH,
    ),
    "",
    ...(verbose ? cellLines(plan) : ["Every cell in its order: --verbose"]),
  ].join("\n");
}

/** @returns `36 measurements, ~2 min` */
function sumText(plan: Plan): string {
  const { length } = plan.cells.filter(({ skip }) => skip === null);
  return `${counted(length, "measurement")}, ~${formatDuration(estimateSeconds(plan))}`;
}

/** @param measured its cells that are run */
function loadRows(plan: Plan, measured: PlannedCell[]): string[][] {
  const rows = [...Map.groupBy(measured, ({ scenario }) => scenario)].map(([scenario, own]) => {
    const schemes = own.map((cell) => schemeName({ ...cell, workload: workloadOf(plan, cell) }));
    const events = new Set(own.flatMap(({ event }) => event ?? []));
    const loads = own.map((cell) => ({ ...cell, description: plan.scenarios[scenario] }));
    return [
      scenario,
      [...new Set(schemes)].sort().join(", "),
      String(own.length),
      `~${formatDuration(estimateSeconds(plan, own))}`,
      [loadText(loads), ...(events.size > 0 ? [`events: ${[...events].join(", ")}`] : [])].join(
        "; ",
      ),
    ];
  });
  return [["LOAD", "SCHEME", "CELLS", "TIME", "EACH"], ...rows];
}

/** Those that the battle leaves out nobody misses. */
function skipRows(cells: PlannedCell[]): string[][] {
  const skipped = cells.filter((cell) => ![null, "left-out"].includes(skipKindOf(cell)));
  const byReason = Map.groupBy(skipped, ({ skip }) => skip);
  return [...byReason].map(([reason, own]) => {
    const names = [...new Set(own.map(({ proxy }) => proxy))].join(", ");
    return ["skipped", `${counted(own.length, "cell")} of ${names}: ${reasonIn(String(reason))}`];
  });
}

function promiseRows({ promise }: Plan): string[][] {
  if (!promise) return [];
  const { sloMs, failedPercent, sentPercent } = promise;
  const text = `p99 at most ${sloMs} ms, at most ${failedPercent} % failed, at least ${sentPercent} % sent; a proxy that carries less than 100 per second takes longer`;
  return [["promise", text]];
}

function detailRows(plan: Plan): string[][] {
  const { title, seed, proxyCpus, workers, keyType, sideBySide } = plan;
  return [
    ["title", title],
    ["order", `by seed ${seed}${fewerText(plan)}`],
    ...(sideBySide ? [["at once", "all proxies of a setting and round"]] : []),
    ["proxy CPU", proxyCpus === 0 ? "no limit" : `${proxyCpus} cores each`],
    [
      "workers",
      workers === null ? "as in .env" : `${workers} in each proxy and in the echo server`,
    ],
    ["TLS key", keyType],
    ...sharedParameters(plan.cells).map(({ scenario, parameters, warmUp }) => [
      scenario,
      `${listed(parameters)}${warmUp ? `; warm-up ${listed(warmUp) || "the same"}` : "; no warm-up"}`,
    ]),
  ];
}

/** @returns which settings have fewer rounds than others; empty where none has */
function fewerText(plan: Plan): string {
  const fewer = roundsBySetting(plan).filter(({ rounds }) => rounds < plan.rounds);
  return [...Map.groupBy(fewer, ({ rounds }) => rounds)]
    .sort(([a], [b]) => b - a)
    .map(([rounds, own]) => {
      const labels = own.map(({ cell }) => settingLabel(cell)).sort();
      return `; ${counted(rounds, "round")} of ${labels.join(", ")}`;
    })
    .join("");
}

/** @returns of each scenario what all of its cells have alike; what varies is in their names */
function sharedParameters(
  cells: PlannedCell[],
): { scenario: string; parameters: Parameters; warmUp: Parameters | null }[] {
  return [...Map.groupBy(cells, ({ scenario }) => scenario)].map(([scenario, alike]) => {
    const common: (from: (cell: PlannedCell) => Parameters | null) => Parameters = (from) =>
      Object.fromEntries(
        Object.entries(from(alike[0]) ?? {}).filter(([name, value]) =>
          alike.every((cell) => from(cell)?.[name] === value),
        ),
      );
    return {
      scenario,
      parameters: common(({ parameters }) => parameters),
      warmUp: alike[0].warmUp && common(({ warmUp }) => warmUp),
    };
  });
}

/** In the order in which they run. */
function cellLines(plan: Plan): string[] {
  const { cells } = plan;
  const idWidth = Math.max(...cells.map(({ id }) => id.length));
  const numberWidth = String(cells.length).length;
  return cells.flatMap((cell, i) => {
    const what =
      cell.skip === null
        ? [
            `~${formatDuration(estimateSeconds(plan, [cell]))}`,
            ...(cell.loads > 1 ? [`${cell.loads} load containers`] : []),
            ...(cell.servers ? [`${cell.servers} echo servers`] : []),
          ].join(", ")
        : `skipped: ${reasonIn(cell.skip)}`;
    const line = `  ${String(i + 1).padStart(numberWidth)}  ${cell.id.padEnd(idWidth)}  ${what}`;
    return cell.round === cells[i - 1]?.round ? [line] : [`round ${cell.round}`, line];
  });
}
