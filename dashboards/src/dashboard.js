/** What all dashboards have in common: rows of panels, the way to the other dashboards, a crosshair over all panels. */
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";

const TAG = "ws-proxy-bench";

/**
 * @typedef {object} Section
 * @property {number} id a multiple of 100; its panels count on from it, so that links to them outlive other sections
 * @property {string} title
 * @property {Panel[]} panels from left to right, then downwards
 *
 * @typedef {import("@grafana/grafana-foundation-sdk/cog").Builder<import("@grafana/grafana-foundation-sdk/dashboard").Panel> &
 *   {id(id: number): Panel}} Panel
 *
 * @typedef {object} TimeRange
 * @property {string} from
 * @property {string} to
 *
 * @typedef {object} Events shown as lines across all curves, with their text
 * @property {string} name
 * @property {string} colour
 * @property {boolean} shown from the start; otherwise a switch at the top shows them
 * @property {typeof import("./queries.js").BENCH} datasource
 * @property {string} query with the columns `title`, `text` and `proxy`
 */

/**
 * @param {object} options
 * @param {string} options.uid part of the address; never changed
 * @param {string} options.title
 * @param {string} options.description
 * @param {TimeRange} options.time
 * @param {string} [options.refresh] how often, such as `5s`; none: what is shown does not change by itself
 * @param {"browser" | "utc"} [options.timezone]
 * @param {{title: string, tooltip: string, time: TimeRange}[]} [options.ranges] other time ranges, as links
 * @param {Events[]} [options.events]
 * @param {import("@grafana/grafana-foundation-sdk/dashboard").QueryVariableBuilder[]} options.variables
 * @param {Section[]} options.sections
 */
export function dashboard({
  uid,
  title,
  description,
  time,
  refresh = "",
  timezone = "browser",
  ranges = [],
  events = [],
  variables,
  sections,
}) {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time(time)
    .timezone(timezone)
    .refresh(refresh)
    .links([...ranges.map((range) => rangeLink(uid, range)), otherDashboards()].map(inSight))
    .variables(variables);
  for (const event of events) builder.annotation(annotation(event));
  for (const { id, title, panels } of sections) {
    builder.withRow(new RowBuilder(title).id(id));
    for (const [index, panel] of panels.entries()) builder.withPanel(panel.id(id + 1 + index));
  }
  return builder.build();
}

/** Run and setting go with whoever follows it, the time range does not: it means something else there. */
function otherDashboards() {
  return new DashboardLinkBuilder("Dashboards")
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .includeVars(true);
}

/**
 * @param {string} uid
 * @param {{title: string, tooltip: string, time: TimeRange}} range
 */
function rangeLink(uid, { title, tooltip, time }) {
  return new DashboardLinkBuilder(title)
    .type(DashboardLinkType.Link)
    .url(`/d/${uid}?${new URLSearchParams({ ...time })}`)
    .tooltip(tooltip)
    .includeVars(true);
}

/**
 * The SDK knows no annotations of InfluxDB: the target is what Grafana's data source makes of one. Complete, as the current one
 * makes nothing of an annotation without a target, and 9.4 leaves one that is there as it is.
 * @param {Events} events
 */
function annotation({ name, colour, shown, datasource, query }) {
  const common = new AnnotationQueryBuilder()
    .name(name)
    .datasource(datasource)
    .enable(shown)
    .iconColor(colour)
    .build();
  const target = {
    refId: name,
    name,
    query,
    rawQuery: true,
    queryType: "tags",
    fromAnnotations: true,
    titleColumn: "title",
    textColumn: "text",
    tagsColumn: "proxy",
    timeEndColumn: "",
  };
  return inSight({ build: () => Object.assign(common, { target }) });
}

/**
 * The SDK's default puts links and switches into a menu of current versions, where nobody looks for them.
 * @template T
 * @param {import("@grafana/grafana-foundation-sdk/cog").Builder<T>} builder
 * @returns {import("@grafana/grafana-foundation-sdk/cog").Builder<T>}
 */
function inSight(builder) {
  return { build: () => ({ ...builder.build(), placement: undefined }) };
}
