import {
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { firstContainers, PROJECT } from "./containers.ts";
import { BENCH, BENCH_DATABASE, CADVISOR, CADVISOR_DATABASE } from "./queries.ts";
import type { Proxy } from "./proxies.ts";

/**
 * Proxies, told by the containers that cAdvisor has seen: it watches battles and single loads
 * alike. "All" stands for any name, so that what has no container any more shows too.
 */
export function proxyVariable(proxies: Proxy[]) {
  const query =
    `SHOW TAG VALUES ON ${CADVISOR_DATABASE} FROM "cpu_usage_total" WITH KEY = "container_name" ` +
    `WHERE ${firstContainers(proxies)}`;
  return chosen({
    name: "proxy",
    label: "Proxy",
    description: "Proxies whose containers cAdvisor has seen in the last 30 days.",
    datasource: CADVISOR,
    query,
    sort: VariableSort.AlphabeticalAsc,
  })
    .regex(`/^${PROJECT}-(.+)-[0-9]+$/`)
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current({ selected: true, text: ["All"], value: ["$__all"] });
}

/**
 * A run, the newest first: its name begins with the time of its start.
 *
 * @param measurement that must have points of it
 */
export function runVariable(measurement: "cells" | "comparisons") {
  return chosen({
    name: "run",
    label: "Run",
    description: "A folder of results/, newest first.",
    datasource: BENCH,
    query: `SHOW TAG VALUES ON ${BENCH_DATABASE} FROM "${measurement}" WITH KEY = "run"`,
    sort: VariableSort.AlphabeticalDesc,
  });
}

/** A run that the chosen one was compared with. */
export function baselineVariable() {
  return chosen({
    name: "baseline",
    label: "Baseline",
    description: "What the run was compared with: ./bench compare RUN BASELINE",
    datasource: BENCH,
    query: `SHOW TAG VALUES ON ${BENCH_DATABASE} FROM "comparisons" WITH KEY = "baseline" WHERE "run" =~ /^\${run:regex}$/`,
    sort: VariableSort.AlphabeticalDesc,
  });
}

/**
 * A setting of the chosen run: only within one can proxies be compared.
 *
 * @param measurement that must have points of it
 */
export function settingVariable(measurement: "cells" | "comparisons") {
  return chosen({
    name: "setting",
    label: "Setting",
    description:
      "Scenario, scheme and what else tells settings of the run apart; of ./bench run alone.",
    datasource: BENCH,
    query: `SHOW TAG VALUES ON ${BENCH_DATABASE} FROM "${measurement}" WITH KEY = "setting" WHERE "run" =~ /^\${run:regex}$/`,
    sort: VariableSort.AlphabeticalAsc,
    // Fresh cells of a search, at its rate and above, are in the figures of the search.
  }).regex("/^(?!.* (?:at|above)$).+$/");
}

/**
 * Questions that the report of the chosen run answers, in its order: `07 CPU per connection`.
 *
 * @param isOfSetting those of the chosen setting, all of them at once; else one, of the whole run
 */
export function questionVariable({ isOfSetting }: { isOfSetting: boolean }) {
  const setting = isOfSetting ? ` AND "setting" =~ /^\${setting:regex}$/` : "";
  const variable = chosen({
    name: isOfSetting ? "question" : "everywhere",
    label: isOfSetting ? "Figures" : "In all settings",
    description: isOfSetting
      ? "What the report says of this setting."
      : "The figure that is shown in all settings of the run.",
    datasource: BENCH,
    query:
      `SHOW TAG VALUES ON ${BENCH_DATABASE} FROM "summaries" WITH KEY = "question" ` +
      `WHERE "run" =~ /^\${run:regex}$/${setting}`,
    // Grafana sorts by the text, InfluxDB by the value with its number.
    sort: VariableSort.Disabled,
  }).regex("/(?<value>\\d\\d (?<text>.+))/");
  return isOfSetting
    ? variable
        .multi(true)
        .includeAll(true)
        .current({ selected: true, text: ["All"], value: ["$__all"] })
    : variable;
}

/**
 * The values of a tag. One measurement only: some versions of Grafana read the values of the first
 * alone. The first value is the default, unless the address names another.
 */
function chosen({
  name,
  label,
  description,
  datasource,
  query,
  sort,
}: {
  name: string;
  label: string;
  description: string;
  datasource: typeof BENCH;
  query: string;
  sort: VariableSort;
}) {
  return new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(datasource)
    .query(query)
    .definition(query)
    .sort(sort)
    .refresh(VariableRefresh.OnTimeRangeChanged);
}
