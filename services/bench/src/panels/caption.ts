/** What a picture shows, in one line below it: so that it can be read away from the page that it was on. */
import { number } from "../numbers.ts";
import { schemeName } from "../plan/workload.ts";
import type { Meaning, Parameters, ScenarioDescription, Scheme } from "../model/plan.ts";
import { inReadingOrder, list, meaningOf, parameterText } from "../report/load-text.ts";
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

/** Of how a load is watched; all else that a parameter may mean says what it does. */
const ASIDE: (Meaning | undefined)[] = [undefined, "timeoutSeconds", "settleSeconds"];

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
    .filter((key) => !["run", "setting"].includes(key))
    .map((key) => valueOf(key) && `${key} ${valueOf(key)}`);
  const texts = [...Map.groupBy(own, ({ scenario }) => scenario)].map(([scenario, alike]) => {
    const text = loadText(alike);
    return text ? `${scenario}: ${text}` : scenario;
  });
  return [
    ...[`run ${name}`, ...others],
    // The plan's order is drawn by lot.
    distinct(own.map(({ proxy }) => proxy))
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

/**
 * @param loads of one scenario
 * @returns its main parameters, with every value that one of the loads has
 */
function loadText(loads: Load[]): string {
  const known = loads.map(({ parameters }) => parameters ?? {});
  const [{ description }] = loads;
  const all = distinct(known.flatMap(Object.keys));
  const isTold = (name: string) => !description || !ASIDE.includes(meaningOf(description, name));
  const names = (description ? inReadingOrder(description, all) : all).filter(isTold);
  return names
    .map((name) => {
      const values = distinct(known.flatMap((parameters) => parameters[name] ?? []));
      return valuesText(
        (value) => parameterText(description, name, value),
        values.sort((a, b) => a - b),
      );
    })
    .join(", ");
}

/** @returns `100 at a time`, `1,000 and 5,000 connections`, `full handshakes and resumed handshakes` */
function valuesText(textOf: (value: number) => string, values: number[]): string {
  const texts = values.map(textOf);
  const figure = number(values[values.length - 1]);
  const text = texts[texts.length - 1];
  const isFigured = values.every((value, i) => texts[i].replace(number(value), figure) === text);
  return isFigured && text.includes(figure)
    ? text.replace(figure, list(values.map(number)))
    : list(texts);
}

function distinct<T>(values: T[]): T[] {
  return [...new Set(values)];
}
