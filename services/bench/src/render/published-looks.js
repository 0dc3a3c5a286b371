/**
 * How proxies are shown where many runs stand together.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { Results } from "../model/record.ts"
 * @import { Look } from "./charts.js"
 */
import { CONTROL } from "../plan/proxies.js";
import { looks } from "./model.js";

/**
 * One colour and shape for a proxy in all runs.
 *
 * @param {PublishedRun[]} runs one at least, the newest first
 * @returns {Record<string, Look>} by name, without the control
 */
export function looksIn(runs) {
  const [newest] = runs;
  const found = runs
    .flatMap(({ analysis }) => analysis.results.proxies)
    .filter(({ name }) => name !== CONTROL);
  const unique = [...new Map(found.toReversed().map((proxy) => [proxy.name, proxy])).values()];
  const sorted = unique.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  /** @type {Results} */
  const results = { ...newest.analysis.results, proxies: sorted };
  return looks(results);
}
