/**
 * What all dashboards have in common: rows of panels, the way to the other dashboards, a crosshair
 * over all panels.
 */
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  RowBuilder,
  TimePickerBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import type { QueryVariableBuilder } from "@grafana/grafana-foundation-sdk/dashboard";

const TAG = "ws-proxy-bench";

interface Section {
  /**
   * a multiple of 100; its panels count on from it, so that links to them outlive other
   * sections
   */
  id: number;
  title: string;
  /** only its title shows until somebody unfolds it */
  isFolded?: boolean;
  /** from left to right, then downwards; with an id those that have moved, so that links find them */
  panels: (Panel | [Panel, number])[];
}

type Panel = Builder<import("@grafana/grafana-foundation-sdk/dashboard").Panel> & {
  id(id: number): Panel;
};

interface TimeRange {
  from: string;
  to: string;
}

/** shown as lines across all curves, with their text */
interface Events {
  name: string;
  colour: string;
  /** from the start; otherwise a switch at the top shows them */
  shown: boolean;
  datasource: typeof import("./queries.ts").BENCH;
  /** with the columns `title`, `text` and `proxy` */
  query: string;
  /** column of it, ms since 1970, where what it marks has an end */
  timeEnd?: string;
}

export function dashboard({
  uid,
  title,
  description,
  time,
  refresh = "",
  timezone = "browser",
  hasTimePicker = true,
  ranges = [],
  events = [],
  variables,
  sections,
}: {
  /** part of the address; never changed */
  uid: string;
  title: string;
  description: string;
  time: TimeRange;
  /** how often, such as `5s`; none: what is shown does not change by itself */
  refresh?: string;
  timezone?: "browser" | "utc";
  hasTimePicker?: boolean;
  /** other time ranges, as links */
  ranges?: { title: string; tooltip: string; time: TimeRange }[];
  events?: Events[];
  variables: QueryVariableBuilder[];
  sections: Section[];
}) {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time(time)
    .timezone(timezone)
    .timepicker(new TimePickerBuilder().hidden(!hasTimePicker))
    .refresh(refresh)
    .links([...ranges.map((range) => rangeLink(uid, range)), otherDashboards()].map(inSight))
    .variables(variables);
  for (const event of events) builder.annotation(annotation(event));
  for (const { id, title, isFolded = false, panels } of sections) {
    const row = new RowBuilder(title).id(id).collapsed(isFolded);
    const own = panels.map((panel, index) =>
      Array.isArray(panel) ? panel[0].id(panel[1]) : panel.id(id + 1 + index),
    );
    // Grafana finds the panels of a closed row in it, and those of an open one behind it.
    if (isFolded) for (const panel of own) row.withPanel(panel);
    builder.withRow(row);
    if (!isFolded) for (const panel of own) builder.withPanel(panel);
  }
  return builder.build();
}

/**
 * Run and setting go with whoever follows it, the time range does not: it means something else
 * there.
 */
function otherDashboards() {
  return new DashboardLinkBuilder("Dashboards")
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .includeVars(true);
}

function rangeLink(
  uid: string,
  { title, tooltip, time }: { title: string; tooltip: string; time: TimeRange },
) {
  return new DashboardLinkBuilder(title)
    .type(DashboardLinkType.Link)
    .url(`/d/${uid}?${new URLSearchParams({ ...time })}`)
    .tooltip(tooltip)
    .includeVars(true);
}

/**
 * The SDK knows no annotations of InfluxDB: the target is what Grafana's data source makes of one.
 * Complete, as the current one makes nothing of an annotation without a target, and 9.4 leaves one
 * that is there as it is.
 */
function annotation({ name, colour, shown, datasource, query, timeEnd = "" }: Events) {
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
    timeEndColumn: timeEnd,
  };
  return inSight({ build: () => Object.assign(common, { target }) });
}

/**
 * The SDK's default puts links and switches into a menu of current versions, where nobody looks for
 * them.
 */
function inSight<T>(builder: Builder<T>): Builder<T> {
  return { build: () => ({ ...builder.build(), placement: undefined }) };
}
