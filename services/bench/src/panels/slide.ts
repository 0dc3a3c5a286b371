/** One picture of an export that is fit for a slide as it is: 1,200 by 630 pixels. */
import { counted } from "../numbers.ts";
import * as chart from "../report/chart.ts";
import { fillOf } from "../report/chart-frame.ts";
import { tag } from "../report/svg.ts";
import { rankedOf } from "./draw.ts";
import type { Job } from "./selection.ts";

export const SLIDE_FILE = "slide.png";
/** A PNG has two pixels for each of CSS. */
const SIZE = { width: 600, height: 315 };
/** More rows would be too small to read from the last seat. */
const MOST_ROWS = 8;

/**
 * @returns an SVG of the first ranking that has a figure: its proxies, the best first, and the
 *   control; null: there is none
 */
export function slideOf(jobs: Job[], captionOf: (job: Job) => string): string | null {
  for (const job of jobs) {
    const { panel, frames, title } = job;
    const figures = rankedOf(panel, frames);
    if (!figures?.rows.some(({ values: [bar] }) => bar && bar.value !== null)) continue;
    const [controls, proxies] = [true, false].map((isControl) =>
      figures.rows.filter(({ muted = false }) => muted === isControl),
    );
    const most = MOST_ROWS - controls.length;
    const hidden = Math.max(0, proxies.length - most);
    const more = hidden > 0 ? ` · ${counted(hidden, "proxy", "proxies")} behind these` : "";
    const rows = [...proxies.slice(0, most), ...controls];
    return framed(
      chart.bars(
        { ...figures, rows, title, caption: captionOf(job) + more },
        { width: SIZE.width },
      ),
    );
  }
  return null;
}

/** In the middle, as large as there is room. */
function framed(svg: string): string {
  const [width, height] = ["width", "height"].map((name) =>
    Number(new RegExp(`<svg[^>]* ${name}="([\\d.]+)"`).exec(svg)?.[1]),
  );
  const scale = Math.min(1, SIZE.width / width, SIZE.height / height);
  const [x, y] = [(SIZE.width - scale * width) / 2, (SIZE.height - scale * height) / 2];
  return tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", ...SIZE, viewBox: `0 0 ${SIZE.width} ${SIZE.height}` },
    tag("style", {}, chart.CHART_STYLE),
    tag("rect", { ...SIZE, fill: fillOf("paper") }),
    tag("g", { transform: `translate(${x} ${y}) scale(${scale})` }, svg),
  );
}
