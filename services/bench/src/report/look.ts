/** How a proxy looks in every chart and beside its name: by its own proxy.json. */
import type { Comparisons } from "../model/comparison.ts";
import type { Look } from "./chart.ts";
import { SHAPES } from "./chart.ts";
import { titleOfProxy } from "./text.ts";

type Drawn = Pick<Comparisons, "proxies" | "settings">;

export function lookOf(file: Drawn, name: string): Look {
  const { colour = "#808080", shape } = file.proxies.find((one) => one.name === name) ?? {};
  return {
    label: titleOfProxy(file, name),
    colour,
    shape: SHAPES.find((one) => one === shape) ?? "circle",
  };
}

/** By name of the proxy. */
export function looksOf(file: Drawn): Record<string, Look> {
  return Object.fromEntries(file.proxies.map(({ name }) => [name, lookOf(file, name)]));
}
