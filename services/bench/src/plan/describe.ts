/**
 * What two plans differ in, and why --resume refuses.
 */
import { roundsBySetting } from "./rounds.ts";
import type { Parameters, Plan, PlannedCell } from "../model/plan.ts";

export function listed(parameters: Parameters) {
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
function facts({
  cells,
  proxies,
  schema,
  scenarios,
  pilot: _,
  ...rest
}: Plan): Map<string, string> {
  const found = new Map(Object.entries(rest).map(([name, value]) => [name, String(value)]));
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
