/**
 * The colour of a field, as Grafana chooses it.
 */

/** For series that the panel gives no colour: Okabe and Ito's, which colour-blind people can tell apart. */
const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#999999"];

/** @type {Record<string, string>} Grafana's names of colours; `text` follows light and dark */
const NAMED = {
  green: "#73BF69",
  red: "#F2495C",
  orange: "#FF9830",
  yellow: "#FADE2A",
  blue: "#5794F2",
  purple: "#B877D9",
  text: "currentColor",
  transparent: "none",
};

/**
 * @param {Record<string, any>} config of the field
 * @param {{index: number, value?: number | null}} about index: of the series in its panel; value: where the colour follows it
 * @returns {string} for an SVG
 */
export function colourOf({ color, thresholds }, { index, value }) {
  if (color?.mode === "fixed") return named(color.fixedColor);
  if (color?.mode === "thresholds" && typeof value === "number") {
    const steps = /** @type {{value: number | null, color: string}[]} */ (thresholds?.steps ?? []);
    const step = steps.findLast((one) => one.value === null || value >= one.value);
    if (step) return named(step.color);
  }
  return PALETTE[index % PALETTE.length];
}

/** @param {string} colour */
function named(colour) {
  return NAMED[colour] ?? colour;
}
