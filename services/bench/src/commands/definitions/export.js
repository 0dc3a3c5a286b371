import { FORMATS, OPTIONS } from "../../plan/arguments.js";
import { command, withOptions } from "./command.js";

/** @import { Define } from "./command.js" */

/**
 * @typedef {object} ExportArguments
 * @property {string} [run] as it was typed; none: the newest
 * @property {string} [dashboard] not yet looked up
 * @property {number} [panel]
 * @property {(typeof FORMATS)[number][]} formats
 * @property {string} [snapshot] address of a Grafana, or a file; empty: beside the panels; none: it is not wanted
 * @property {string} [grafana] address
 */

/** @type {Define} */
export const exportPanels = (program, call) =>
  withOptions(
    command(program, "export", "exports dashboard panels as SVG, PNG, CSV and JSON").argument(
      "[RUN]",
      "a folder of results/, by its name or path (default: the newest run)",
    ),
    [OPTIONS.dashboard, OPTIONS.panel, OPTIONS.format, OPTIONS.snapshot, OPTIONS.grafana],
  ).action((run, { dashboard, panel, format = [...FORMATS], snapshot: typed, grafana }) => {
    const snapshot = typed === true ? "" : typed;
    const wanted = { run, dashboard, panel, formats: format, snapshot, grafana };
    return call("export", wanted, async ({ directory, say }) =>
      (await import("../export.ts")).exportPanels(directory, wanted, say),
    );
  });
