/**
 * Panels that look alike: what all of them share is here, what one of them shows is in dashboards/.
 */

import { PanelBuilder as BarGaugeBuilder } from "@grafana/grafana-foundation-sdk/bargauge";
import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTextDisplayOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  FieldColorBuilder,
  FieldColorModeId,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { CONTROL_NAMES, SHORT_NAMES } from "./containers.ts";
import { MIXED } from "./queries.ts";
import type { Query } from "./queries.ts";
import { OKABE_ITO_GREEN, OKABE_ITO_VERMILLION } from "./series.ts";
import type { Override } from "./series.ts";
import type { DataTransformerConfig } from "@grafana/grafana-foundation-sdk/dashboard";

export interface PanelOptions {
  title: string;
  /** what is shown, in which unit, and from where */
  description: string;
  /** one of Grafana's */
  unit: string;
  queries: Query[];
  /** what to say where there is no data; not a number, which Grafana would draw into gaps */
  whenEmpty: string;
  /** of 24 */
  width: number;
  /** in Grafana's grid units */
  height: number;
  overrides?: Override[];
}

/**
 * Gaps up to this long, in ms, are a late sample; longer ones are a container or a load that was
 * not there.
 */
const LATE_SAMPLE_MS = 5000;

/** Steps are no finer than this: cAdvisor takes one sample per second. */
const SAMPLE_INTERVAL = "1s";

/** Bars of finer steps would be too thin to see. */
const BAR_INTERVAL = "10s";

/**
 * Of the text beside bars. Left alone, Grafana makes it larger where the bars are few, and cuts it
 * off.
 */
const TEXT_PIXELS = 12;

/** Of a table of results the time says nothing. */
const NO_TIME: DataTransformerConfig = {
  id: "organize",
  options: { excludeByName: { Time: true } },
};

/** It is a text, and there for the query alone. */
const NO_STATE: DataTransformerConfig = {
  id: "organize",
  options: { excludeByName: { state: true } },
};

/**
 * Of large figures and their names. Left alone, Grafana takes the largest that fits, another in each
 * panel.
 */
const FIGURE_PIXELS = { name: 12, value: 24, alarm: 48 };

/** Curves over time, each of them unfilled so that they can cross. */
export function curves(options: PanelOptions) {
  return common(new TimeSeriesBuilder(), options)
    .withTransformation(SHORT_NAMES)
    .withTransformation(CONTROL_NAMES)
    .drawStyle(GraphDrawStyle.Line)
    .axisSoftMin(0)
    .lineWidth(2)
    .showPoints(VisibilityMode.Auto)
    .pointSize(4)
    .spanNulls(LATE_SAMPLE_MS)
    .legend(legend())
    .tooltip(tooltip());
}

/** Stacked bars: how many events each step had. */
export function bars(options: PanelOptions) {
  return common(new TimeSeriesBuilder(), options)
    .withTransformation(SHORT_NAMES)
    .withTransformation(CONTROL_NAMES)
    .interval(BAR_INTERVAL)
    .drawStyle(GraphDrawStyle.Bars)
    .lineWidth(0)
    .fillOpacity(100)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group("A"))
    .axisSoftMin(0)
    .axisSoftMax(1)
    .legend(legend())
    .tooltip(tooltip());
}

/**
 * A bar for each series, from 0, in the order of the names: the same in every panel, so that the
 * eye finds a proxy again.
 */
export function compared(options: PanelOptions) {
  return common(new BarGaugeBuilder(), options)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Text)
    .orientation(VizOrientation.Horizontal)
    .showUnfilled(false)
    .text(new VizTextDisplayOptionsBuilder().titleSize(TEXT_PIXELS).valueSize(TEXT_PIXELS))
    .min(0)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .colorScheme(fixedColour("text"));
}

/** @param options sortedBy: a column; without, rows are in the order of the query */
export function table({ sortedBy, ...options }: PanelOptions & { sortedBy?: string }) {
  const by =
    sortedBy === undefined
      ? []
      : [new TableSortByFieldStateBuilder().displayName(sortedBy).desc(false)];
  return common(new TableBuilder(), options)
    .withTransformation(NO_TIME)
    .showHeader(true)
    .sortBy(by);
}

/** Large figures, the last of each series, over its course in the time range. */
export function figures(options: PanelOptions) {
  return common(new StatBuilder(), options)
    .withTransformation(NO_STATE)
    .graphMode(BigValueGraphMode.Area)
    .textMode(BigValueTextMode.ValueAndName)
    .orientation(VizOrientation.Horizontal)
    .text(
      new VizTextDisplayOptionsBuilder()
        .titleSize(FIGURE_PIXELS.name)
        .valueSize(FIGURE_PIXELS.value),
    )
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .colorScheme(fixedColour("text"));
}

/** A large count: green as long as it is 0. */
export function alarms(options: PanelOptions) {
  return figures(options)
    .graphMode(BigValueGraphMode.None)
    .textMode(BigValueTextMode.Value)
    .text(new VizTextDisplayOptionsBuilder().valueSize(FIGURE_PIXELS.alarm))
    .decimals(0)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .thresholds(
      new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
        { value: null, color: OKABE_ITO_GREEN },
        { value: 1, color: OKABE_ITO_VERMILLION },
      ]),
    );
}

function common<T extends BarGaugeBuilder | StatBuilder | TableBuilder | TimeSeriesBuilder>(
  panel: T,
  options: PanelOptions,
): T {
  panel
    .title(options.title)
    .description(options.description)
    .unit(options.unit)
    .noValue(options.whenEmpty)
    .datasource(datasourceOf(options.queries))
    .interval(SAMPLE_INTERVAL)
    .targets(options.queries.map(target))
    .overrides(options.overrides ?? [])
    .span(options.width)
    .height(options.height);
  return panel;
}

function target({ datasource, query, alias }: Query, index: number) {
  const refId = String.fromCharCode("A".charCodeAt(0) + index);
  const format =
    alias === undefined ? { resultFormat: "table" } : { resultFormat: "time_series", alias };
  const target = { refId, datasource, rawQuery: true, query, ...format };
  return { build: () => ({ ...target, _implementsDataqueryVariant: () => {} }) };
}

function datasourceOf([{ datasource }, ...others]: Query[]) {
  return others.every((other) => other.datasource.uid === datasource.uid) ? datasource : MIXED;
}

function fixedColour(colour: string) {
  return new FieldColorBuilder().mode(FieldColorModeId.Fixed).fixedColor(colour);
}

function legend() {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([]);
}

function tooltip() {
  return new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending);
}
