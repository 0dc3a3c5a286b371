/**
 * The events that a dashboard marks across its curves.
 *
 * @import { Series } from "../platform/influx.js"
 * @import { Annotation } from "./snapshot.js"
 *
 * @typedef {{name: string, query: string, titleColumn: string, textColumn: string}} Events
 */

/**
 * @param {import("./dashboards.js").Dashboard} dashboard
 * @returns {Events[]} those that are shown when it is opened
 */
export function shownEvents({ annotations }) {
  return (annotations?.list ?? [])
    .filter(({ enable }) => enable)
    .flatMap(({ name, target, ...own }) => {
      // Newer Grafana has the query in `target`, older one beside the name.
      const { query, titleColumn, textColumn } = { ...own, ...target };
      return query ? [{ name, query, titleColumn, textColumn }] : [];
    });
}

/**
 * @param {Events} events
 * @param {Series[]} series the answer
 * @returns {Annotation[]}
 */
export function annotationsOf({ titleColumn, textColumn }, series) {
  return series.flatMap(({ columns, values }) => {
    const [title, text] = [titleColumn, textColumn].map((column) => columns.indexOf(column));
    return values.map((row) => ({ ms: row[0], title: row[title] ?? "", text: row[text] ?? "" }));
  });
}
