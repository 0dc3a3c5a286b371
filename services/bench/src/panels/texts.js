/**
 * Panels that are text: single figures, and tables.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Drawing } from "./draw.js"
 * @import { Shown } from "./frames.js"
 */
import { canvas, element, textAt, widthOf, WIDTH } from "./picture.js";
import { figuresOf } from "./reduce.js";
import { valueText } from "./units.js";

const ROW_HEIGHT = 26;
/** A table that is longer is cut in the picture; its data are whole. */
const MOST_ROWS = 60;

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
export function drawFigures(panel, fields) {
  const figures = figuresOf(panel, fields).map(({ value, config, ...rest }) => ({
    ...rest,
    text: valueText(value, config),
  }));
  const columns = Math.min(4, figures.length);
  const width = WIDTH / columns;
  const draw = () =>
    canvas(
      Math.ceil(figures.length / columns) * 96 + 12,
      figures.flatMap(({ name, text, colour }, i) => {
        const [x, y] = [16 + (i % columns) * width, Math.floor(i / columns) * 96];
        const size = Math.min(40, (width - 24) / (0.72 * text.length));
        return [
          textAt(x, y + 26, name, { "fill-opacity": 0.75 }),
          textAt(x, y + 72, text, { fill: colour, "font-size": size, "font-weight": 600 }),
        ];
      }),
    );
  return {
    description: `${figures.map(({ name, text }) => `${name}: ${text}`).join("; ")}.`,
    draw,
  };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
export function drawTable(panel, fields) {
  const rows = fields[0].field.values.length;
  const shown = Math.min(rows, MOST_ROWS);
  const order = orderOf(panel, fields).slice(0, shown);
  const columns = fields.map(({ name, field, config }) => {
    const cells = order.map((row) => cellText(field.values[row], field.type, config));
    const width = 24 + Math.max(...[name, ...cells].map(widthOf));
    return { header: name, cells, width, isNumber: field.type === "number" };
  });
  const width = Math.max(
    WIDTH,
    columns.reduce((sum, column) => sum + column.width, 16),
  );
  const draw = () => {
    let left = 8;
    const texts = columns.flatMap(({ header, cells, width: columnWidth, isNumber }) => {
      const x = isNumber ? left + columnWidth - 16 : left;
      const anchor = { "text-anchor": isNumber ? "end" : "start" };
      left += columnWidth;
      return [
        textAt(x, 20, header, { ...anchor, "font-weight": 600 }),
        ...cells.map((text, i) => textAt(x, 20 + (i + 1) * ROW_HEIGHT, text, anchor)),
      ];
    });
    const ruled = Array.from({ length: shown + 1 }, (_, i) =>
      element("line", {
        ...{ x1: 8, x2: width - 8, y1: 28 + i * ROW_HEIGHT, y2: 28 + i * ROW_HEIGHT },
        ...{ stroke: "currentColor", "stroke-opacity": i === 0 ? 0.7 : 0.2 },
      }),
    );
    const more =
      rows > shown
        ? [textAt(8, 24 + (shown + 1) * ROW_HEIGHT, `and ${rows - shown} rows more, in the data`)]
        : [];
    return canvas(40 + (shown + more.length) * ROW_HEIGHT, [...ruled, ...texts, ...more], width);
  };
  return {
    description: `A table of ${rows} rows: ${columns.map(({ header }) => header).join(", ")}.`,
    draw,
  };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {number[]} rows as the panel sorts them
 */
function orderOf({ options }, fields) {
  const order = fields[0].field.values.map((_, row) => row);
  const [sort] = options?.sortBy ?? [];
  const key = fields.find(({ name }) => name === sort?.displayName)?.field.values;
  if (!key) return order;
  const compare = (/** @type {any} */ a, /** @type {any} */ b) =>
    typeof a === "string" ? a.localeCompare(String(b)) : Number(a) - Number(b);
  return order.sort((a, b) => compare(key[a], key[b]) * (sort.desc ? -1 : 1));
}

/**
 * @param {any} value
 * @param {string} type
 * @param {Record<string, any>} config
 */
function cellText(value, type, config) {
  return type === "time"
    ? valueText(value, { unit: "dateTimeAsIso", ...config })
    : valueText(value, config);
}
