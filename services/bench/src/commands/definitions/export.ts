import { FORMATS, OPTIONS } from "../../plan/arguments.ts";
import { command, withOptions } from "./command.ts";
import type { Define } from "./command.ts";

export interface ExportArguments {
  /** as it was typed; none: the newest */
  run?: string;
  /** not yet looked up */
  dashboard?: string;
  panel?: number;
  formats: (typeof FORMATS)[number][];
  /** address of a Grafana, or a file; empty: beside the panels; none: it is not wanted */
  snapshot?: string;
  /** address */
  grafana?: string;
}

export const exportPanels: Define = (program, call) =>
  withOptions(
    command(program, "export", "Draw dashboard panels as SVG, PNG, CSV and JSON").argument(
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
