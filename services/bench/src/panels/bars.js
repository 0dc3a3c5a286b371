/**
 * Bars that lie, so that names have room: one a series, or a group for each row of a table.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Drawing } from "./draw.js"
 * @import { Shown } from "./frames.js"
 */
import * as Plot from "@observablehq/plot";
import { colourOf } from "./colours.js";
import { plot, widthOf, withLegend } from "./picture.js";
import { figuresOf } from "./reduce.js";
import { axisOf, numberText, valueText } from "./units.js";

const ROW_HEIGHT = 26;

/**
 * A group of bars for each row of a table.
 *
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
export function drawBarChart(panel, fields) {
  const { xField } = panel.options ?? {};
  const names =
    fields.find(({ name }) => name === xField) ??
    fields.find(({ field }) => field.type !== "number");
  const columns = fields.filter((one) => one !== names && one.field.type === "number");
  const groups = (names?.field.values ?? columns[0].field.values).map((value, i) =>
    names ? String(value) : String(i + 1),
  );
  const bars = groups.flatMap((group, row) =>
    columns.flatMap(({ name, field, config }, index) => {
      const value = field.values[row] ?? null;
      return value === null
        ? []
        : [{ group, name, value, config, colour: colourOf(config, { index, value }) }];
    }),
  );
  const legend = columns.map(({ name, config }, index) => ({
    name,
    colour: colourOf(config, { index }),
  }));
  return drawBars(panel, bars, columns.length > 1 ? legend : []);
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
export function drawBarGauge(panel, fields) {
  const bars = figuresOf(panel, fields).flatMap(({ name, value, config, colour }) =>
    value === null ? [] : [{ group: name, name: "", value, config, colour }],
  );
  return drawBars(panel, bars, []);
}

/**
 * @param {Panel} panel
 * @param {{group: string, name: string, value: number, config: Record<string, any>, colour: string}[]} bars
 * @param {{name: string, colour: string}[]} legend
 * @returns {Drawing}
 */
function drawBars(panel, bars, legend) {
  const axis = axisOf(
    panel,
    bars.map(({ value }) => value),
  );
  const groups = [...new Set(bars.map(({ group }) => group))];
  const names = [...new Set(bars.map(({ name }) => name))];
  const steps = panel.fieldConfig?.defaults.thresholds?.steps ?? [];
  const isShown = panel.type === "barchart";
  const thresholds = isShown
    ? steps.slice(1).map((/** @type {{value: number}} */ { value }) => value / axis.divisor)
    : [];
  const barHeight = names.length > 1 ? 17 : ROW_HEIGHT;
  const draw = () =>
    withLegend(
      plot({
        height: 50 + groups.length * (names.length * barHeight + 12),
        marginLeft: 16 + Math.max(...groups.map(widthOf)),
        ...{ marginTop: 6, marginBottom: 40, marginRight: 110 },
        x: { zero: true, nice: true },
        y: { domain: names, axis: null, padding: 0.1 },
        fy: { domain: groups, padding: 0.12, label: null },
        marks: [
          Plot.gridX({ ticks: 6 }),
          Plot.axisX({
            label: axis.text,
            labelAnchor: "center",
            labelArrow: "none",
            labelOffset: 36,
            ticks: 6,
            tickFormat: (/** @type {number} */ value) => numberText(value),
          }),
          Plot.axisFy({ anchor: "left", label: null, tickSize: 0, textAnchor: "end", dx: -4 }),
          Plot.barX(bars, {
            x: ({ value }) => value / axis.divisor,
            y: "name",
            fy: "group",
            fill: "colour",
          }),
          Plot.text(bars, {
            x: ({ value }) => Math.max(0, value / axis.divisor),
            y: "name",
            fy: "group",
            text: ({ value, config }) => valueText(value, config),
            textAnchor: "start",
            dx: 5,
          }),
          Plot.ruleX([0], { strokeOpacity: 0.6 }),
          Plot.ruleX(thresholds, { strokeDasharray: "4 3", strokeOpacity: 0.8 }),
        ],
      }),
      legend,
    );
  const told = bars.map(
    ({ group, name, value, config }) =>
      `${[group, name].filter(Boolean).join(", ")}: ${valueText(value, config)}`,
  );
  return { description: `${axis.text}. ${told.join("; ")}.`, draw };
}
