import {
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";

/**
 * @typedef {object} Section
 * @property {number} id a multiple of 100; its panels count on from it, so that links to them outlive other sections
 * @property {string} title
 * @property {(ReturnType<typeof import("./panels.js").curves | typeof import("./panels.js").latest>)[]} panels
 *   from left to right, then downwards
 */

/**
 * @param {object} options
 * @param {string} options.uid part of the address; never changed
 * @param {string} options.title
 * @param {string} options.description
 * @param {import("@grafana/grafana-foundation-sdk/dashboard").QueryVariableBuilder[]} options.variables
 * @param {Section[]} options.sections
 */
export function dashboard({ uid, title, description, variables, sections }) {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(["ws-proxy-bench"])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: "now-15m", to: "now" })
    .refresh("5s")
    .variables(variables);
  for (const { id, title, panels } of sections) {
    builder.withRow(new RowBuilder(title).id(id));
    for (const [index, panel] of panels.entries()) builder.withPanel(panel.id(id + 1 + index));
  }
  return builder.build();
}
