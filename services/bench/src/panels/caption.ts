/** What a picture shows, in one line below it: it is read away from its page too. */
import { CONTROL } from "../plan/proxies.ts";
import { schemeName } from "../plan/workload.ts";
import type { Parameters, ScenarioDescription, Scheme } from "../model/plan.ts";
import { loadText } from "../report/load-text.ts";
import type { Panel } from "./dashboards.ts";
import type { Choice } from "./query.ts";
import { uses } from "./query.ts";

/** What a proxy was put under. */
export type Load = {
  proxy: string;
  scenario: string;
  scheme: Scheme;
  /** null: they are not known. */
  parameters: Parameters | null;
  /** Of the scenario; null: it is not known. */
  description: ScenarioDescription | null;
  /** As the variable of that name has it. */
  setting?: string;
};

/**
 * @param shown none: all of the run
 * @returns run, proxies, schemes, load and date
 */
export function captionOf(
  { name, startedMs, loads }: { name: string; startedMs: number; loads: Load[] },
  shown?: { panel: Panel; choice: Choice },
): string {
  const valueOf = (variable: string) => {
    const { values, all } = shown?.choice.variables[variable] ?? { values: [] };
    return shown && !all && uses(shown.panel, variable) ? values.filter(Boolean).join(", ") : "";
  };
  const setting = valueOf("setting");
  const own = loads.filter((load) => !setting || load.setting === setting);
  const others = Object.keys(shown?.choice.variables ?? {})
    .filter((key) => !["run", "setting"].includes(key) && !shown?.panel.title.includes(`{${key}:`))
    .map((key) => valueOf(key) && `${key} ${valueOf(key)}`);
  const texts = [...Map.groupBy(own, ({ scenario }) => scenario)].map(([scenario, alike]) => {
    const text = loadText(alike);
    return text ? `${scenario}: ${text}` : scenario;
  });
  return [
    ...[`run ${name}`, ...others],
    // The plan's order is drawn by lot.
    distinct(own.map(({ proxy }) => proxy))
      .filter((proxy) => proxy !== CONTROL)
      .sort()
      .join(", "),
    distinct(own.map(schemeOf)).sort().join(", "),
    texts.join("; "),
    `${new Date(startedMs).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  ]
    .filter(Boolean)
    .join(" · ");
}

function schemeOf({ scheme, description }: Load): string {
  return description ? schemeName({ scheme, workload: description }) : scheme;
}

function distinct<T>(values: T[]): T[] {
  return [...new Set(values)];
}
