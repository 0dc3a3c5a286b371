/** How a series looks, told by its name. Colour says whose it is, the line which figure of it. */

import { CONTROLS } from "./containers.ts";
import type { MatcherConfig, DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import type { Proxy } from "./proxies.ts";

export interface Override {
  matcher: MatcherConfig;
  properties: DynamicConfigValue[];
}

/** Okabe and Ito's colours, which colour-blind people can tell apart. Proxies bring their own. */
const SERVICE_COLOURS = {
  load: "#CC79A7",
  "load-http": "#CC79A7",
  "warm-up": "#999999",
  echo: "#E69F00",
  cadvisor: "#CC79A7",
  influxdb: "#E69F00",
  grafana: "#999999",
  renderer: "#0072B2",
};

/** Green and vermillion can be told apart by all; light blue is readable on dark and light. */
export const OKABE_ITO_GREEN = "#009E73";
export const OKABE_ITO_VERMILLION = "#D55E00";
export const OKABE_ITO_SKY_BLUE = "#56B4E9";

/** From good to bad; the name stands beside its bar, so that no colour has to be told apart. */
const VALIDITY_COLOURS = {
  valid: OKABE_ITO_GREEN,
  weak: "#E69F00",
  invalid: OKABE_ITO_VERMILLION,
  failed: "#CC79A7",
  skipped: "#999999",
};

/** How strongly a proxy's further containers show, beside its first one in the same colour. */
const PART_OPACITY = 0.55;

/** Of what is no proxy. */
const CONTROL_COLOUR = "#999999";

/** @returns each proxy's colour for its series, and grey for what is none */
export function proxyColours(proxies: Proxy[]): Override[] {
  return [
    ...proxies
      .filter(({ name }) => !(name in CONTROLS))
      .flatMap(({ name, colour, parts }) => [
        coloured(name, colour),
        ...parts.map((part) => coloured(`${name}-${part}`, translucent(colour, PART_OPACITY))),
      ]),
    ...controlColours(),
  ];
}

function controlColours(): Override[] {
  return Object.values(CONTROLS).map((name) => coloured(name, CONTROL_COLOUR));
}

/** @returns the colours of the services that are no proxy */
export function serviceColours(): Override[] {
  return [
    ...Object.entries(SERVICE_COLOURS).map(([name, colour]) => coloured(name, colour)),
    ...controlColours(),
  ];
}

/** @returns the colours of whether a cell is valid */
export function validityColours(): Override[] {
  return Object.entries(VALIDITY_COLOURS).map(([name, colour]) => coloured(name, colour));
}

/**
 * What one column of a table is.
 *
 * @param properties by their id, such as `unit`
 */
export function column(name: string, properties: Record<string, unknown>): Override {
  return {
    matcher: { id: "byName", options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

/**
 * A thin line, as usage is beside the working set.
 *
 * @param suffix of the series' name
 */
export function thin(suffix: string): Override {
  return further(suffix, [{ id: "custom.lineWidth", value: 1 }]);
}

/**
 * A thin dashed line, as RSS is beside the working set.
 *
 * @param suffix of the series' name
 */
export function dashed(suffix: string): Override {
  return further(suffix, [
    { id: "custom.lineWidth", value: 1 },
    { id: "custom.lineStyle", value: { fill: "dash", dash: [6, 4] } },
  ]);
}

/**
 * Dots without a line: what jumps from step to step stays readable.
 *
 * @param suffix of the series' name
 */
export function dots(suffix: string): Override {
  return further(suffix, [
    { id: "custom.drawStyle", value: "points" },
    { id: "custom.pointSize", value: 2 },
  ]);
}

/**
 * Drawn downwards from zero, as what goes out is beside what comes in.
 *
 * @param suffix of the series' name
 */
export function downwards(suffix: string): Override {
  return further(suffix, [{ id: "custom.transform", value: "negative-Y" }]);
}

function coloured(name: string, colour: string): Override {
  return {
    matcher: { id: "byRegexp", options: `/^${name.replace(/[()]/g, "\\$&")}( |$)/` },
    properties: [{ id: "color", value: { mode: "fixed", fixedColor: colour } }],
  };
}

/**
 * A further figure of what another series shows. It is left out of the legend: the panel's title
 * says what its line is.
 */
function further(suffix: string, properties: Override["properties"]): Override {
  return {
    matcher: { id: "byRegexp", options: `/${suffix}$/` },
    properties: [
      ...properties,
      { id: "custom.hideFrom", value: { legend: true, tooltip: false, viz: false } },
    ],
  };
}

/**
 * @param colour as #RRGGBB
 * @param opacity from 0 to 1
 */
function translucent(colour: string, opacity: number) {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}
