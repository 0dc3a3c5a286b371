/**
 * Plans in words: what --dry-run prints, and why --resume refuses.
 */
import { estimateSeconds, formatDuration } from "./estimate.ts";
import { roundsBySetting } from "./rounds.ts";
import type { Parameters, Plan, PlannedCell } from "../model/plan.ts";

/**
 * @param pilot that runs before it
 * @returns lines for a terminal: what all cells share, every cell in its order, the time
 */
export function describePlan(plan: Plan, pilot: Plan | null = null): string {
  const { battle, title, cells, rounds, seed, proxies, proxyCpus, workers, keyType } = plan;
  const shared = sharedParameters(cells);
  const idWidth = Math.max(...cells.map(({ id }) => id.length));
  const numberWidth = String(cells.length).length;
  const skipped = cells.filter(({ skip }) => skip !== null).length;
  const lines = [
    `${title} (${battle})`,
    "",
    `  proxies    ${proxies.join(", ")}`,
    `  rounds     ${rounds}${fewerText(plan)}, order by seed ${seed}`,
    ...(plan.sideBySide ? ["  at once    all proxies of a setting and round"] : []),
    `  proxy CPU  ${proxyCpus === 0 ? "no limit" : `${proxyCpus} cores each`}`,
    `  workers    ${workers === null ? "as in .env" : `${workers} in each proxy and in the echo server`}`,
    `  TLS key    ${keyType}`,
    ...(plan.promise
      ? [
          `  promise    p99 at most ${plan.promise.sloMs} ms, failures at most ${plan.promise.failedPercent} %, ${plan.promise.sentPercent} % of what is due sent`,
        ]
      : []),
    ...ratesText(plan),
    ...shared.map(
      ({ scenario, parameters, warmUp }) =>
        `  ${scenario}: ${listed(parameters)}${warmUp ? `; warm-up ${listed(warmUp) || "the same"}` : "; no warm-up"}`,
    ),
  ];
  let round = 0;
  for (const [i, cell] of cells.entries()) {
    if (cell.round !== round) lines.push("", `round ${(round = cell.round)}`);
    const split = [
      cell.loads > 1 ? `, ${cell.loads} load containers` : "",
      cell.servers ? `, ${cell.servers} echo servers` : "",
    ].join("");
    const what =
      cell.skip === null
        ? `about ${formatDuration(estimateSeconds(plan, [cell]))}${split}`
        : `skipped: ${cell.skip}`;
    lines.push(`  ${String(i + 1).padStart(numberWidth)}  ${cell.id.padEnd(idWidth)}  ${what}`);
  }
  lines.push(
    "",
    `${cells.length} cells${skipped ? `, ${skipped} of them skipped` : ""}: about ${formatDuration(estimateSeconds(plan))} on 2 cores`,
  );
  if (plan.promise)
    lines.push(
      "(through a proxy that carries less than 100 per second longer: probes of up to 60 s)",
    );
  if (pilot)
    lines.push(
      `before them the pilot, ${pilot.cells.length} cells: about ${formatDuration(estimateSeconds(pilot))}`,
    );
  return lines.join("\n");
}

/** @returns which settings have fewer rounds than others; empty where none has */
function fewerText(plan: Plan): string {
  const fewer = roundsBySetting(plan).filter(({ rounds }) => rounds < plan.rounds);
  return [...Map.groupBy(fewer, ({ rounds }) => rounds)]
    .sort(([a], [b]) => b - a)
    .map(([rounds, own]) => {
      const labels = own.map(({ cell }) => settingLabel(cell)).sort();
      return ` (${rounds} of ${labels.join(", ")})`;
    })
    .join("");
}

/** @returns where rates are from, a line each; empty where the battle says them */
function ratesText({ pilot }: Plan): string[] {
  if (!pilot) return [];
  const { busyPercent, run, rates } = pilot;
  if (run === null)
    return [
      `  rates      computed at the start by a pilot, for a machine below ${busyPercent} % busy through the slowest proxy; here those of the pilot`,
    ];
  return rates.map(({ scenario, scheme, name, rate, proxies }) => {
    const slowest = proxies.toSorted((a, b) => a.rate - b.rate)[0];
    return `  rate       ${scenario} ${scheme}: ${name}=${rate}; through ${slowest.proxy} the pilot's ${slowest.offered} left the machine ${slowest.busyPercent.toFixed(0)} % busy`;
  });
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

function listed(parameters: Parameters) {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/**
 * What the preflight sets (`skip`, `loads`, `servers`) does not count: the environment of a run is
 * compared on its own.
 *
 * @returns what differs: `rounds` was 6, is 3; empty: the plans are the same
 */
export function differences(before: Plan, now: Plan): { key: string; was: string; is: string }[] {
  const [was, is] = [facts(before), facts(now)];
  const found = [...new Set([...was.keys(), ...is.keys()])]
    .map((key) => ({ key, was: was.get(key) ?? "absent", is: is.get(key) ?? "absent" }))
    .filter((fact) => fact.was !== fact.is);
  if (found.length > 0) return found;

  // The same in sum, yet other cells, or in another order: the first tells enough.
  const length = Math.max(before.cells.length, now.cells.length);
  return Array.from({ length }, (_, i) => ({
    key: `cell ${i + 1}`,
    was: comparable(before.cells[i]),
    is: comparable(now.cells[i]),
  }))
    .filter((cell) => cell.was !== cell.is)
    .slice(0, 1);
}

/** @returns value by name, as a reader of the battle's file knows them */
function facts({ cells, proxies, schema, scenarios, pilot, ...rest }: Plan): Map<string, string> {
  const found = new Map(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  found.set("pilot", String(pilot?.run ?? "none"));
  found.set("schema", String(schema)).set("proxies", proxies.join(", "));
  const settings = roundsBySetting({ cells });
  for (const [scenario, alike] of Map.groupBy(cells, (cell) => cell.scenario)) {
    const add: (name: string, values: unknown[]) => void = (name, values) =>
      found.set(`${name} of ${scenario}`, [...new Set(values)].sort().join(", "));
    add(
      "rounds",
      settings.flatMap(({ cell, rounds }) => (cell.scenario === scenario ? rounds : [])),
    );
    add(
      "schemes",
      alike.map(({ scheme }) => scheme),
    );
    const { parameterNames, ...description } = scenarios[scenario];
    for (const [key, value] of Object.entries(description))
      found.set(`${key} of ${scenario}`, String(value));
    for (const [meaning, name] of Object.entries(parameterNames))
      found.set(`${meaning} of ${scenario}`, name);
    for (const name of Object.keys(alike[0].parameters))
      add(
        name,
        alike.map(({ parameters }) => parameters[name]),
      );
    add(
      "warm-up",
      alike.map(({ warmUp }) => (warmUp ? listed(warmUp) : "none")),
    );
  }
  return found;
}

function comparable(cell: PlannedCell | undefined): string {
  if (!cell) return "absent";
  const { id, limitSeconds, profile, parameters, warmUp } = cell;
  return `${id} (${profile}: ${listed(parameters)}; warm-up ${warmUp ? listed(warmUp) : "none"}; at most ${limitSeconds} s)`;
}

/** @returns how settings of a run differ: `short-lived ws 10000` */
export function settingLabel({
  id,
  proxy,
  scenario,
  scheme,
}: Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">): string {
  const name = id.replace(/^r\d+-/, "").slice(proxy.length + 1);
  const rest = name.slice(`${scenario}-${scheme}`.length);
  return `${scenario} ${scheme}${rest.replaceAll("-", " ")}`;
}
