/**
 * Puts what Grafana would put into a query, so that it runs without Grafana.
 *
 * @param query InfluxQL with Grafana's macros and variables
 * @throws {Error} when the query uses a variable that the context lacks
 */
export function interpolate(
  query: string,
  {
    from,
    to,
    intervalSeconds,
    variables,
  }: {
    from: Date;
    to: Date;
    /** length of one step */
    intervalSeconds: number;
    /** a regular expression by variable name; `.*` for all */
    variables: Record<string, string>;
  },
): string {
  return query
    .replaceAll("$timeFilter", `time >= ${from.getTime()}ms and time <= ${to.getTime()}ms`)
    .replaceAll("$__interval", `${intervalSeconds}s`)
    .replaceAll(`\${__to:date:seconds}`, `${Math.round(to.getTime() / 1000)}`)
    .replaceAll(/\$\{(\w+):regex\}/g, (_, name) => {
      const value = variables[name];
      if (value === undefined) {
        const known = Object.keys(variables).join(", ") || "none";
        throw new Error(`Variable "${name}" has no value; known are: ${known}. Query: ${query}`);
      }
      return value;
    });
}
