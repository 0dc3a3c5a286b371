import {
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { K6, K6_DATABASE } from "./queries.js";

/** Run, as the tag `run` of k6's samples. Its default is the time of the start: the newest is first. */
export function runVariable() {
  return tagVariable({
    name: "run",
    label: "Run",
    query: `SHOW TAG VALUES ON ${K6_DATABASE} FROM "vus" WITH KEY = "run"`,
    description: "Runs that have samples of k6. The time range still applies.",
    sort: VariableSort.AlphabeticalDesc,
  });
}

/**
 * Proxy, as the tag `proxy` of k6's samples. "All" stands for any name, so containers show with no sample of k6 too.
 */
export function proxyVariable() {
  return tagVariable({
    name: "proxy",
    label: "Proxy",
    query: `SHOW TAG VALUES ON ${K6_DATABASE} FROM "vus" WITH KEY = "proxy" WHERE "run" =~ /^\${run:regex}$/`,
    description: "Proxies that have samples of k6 in the chosen runs.",
    sort: VariableSort.AlphabeticalAsc,
  });
}

/**
 * The values of a tag of `vus`, which k6 writes in every run, even in one where each connection fails. One measurement
 * only: some versions of Grafana read the values of the first alone.
 * @param {{ name: string, label: string, query: string, description: string, sort: VariableSort }} options
 */
function tagVariable({ name, label, query, description, sort }) {
  return new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(K6)
    .query(query)
    .definition(query)
    .sort(sort)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current({ selected: true, text: ["All"], value: ["$__all"] });
}
