/**
 * A dashboard with its data inside, for a Grafana without this project's InfluxDB and files.
 *
 * Made as current Grafana makes one (transformSceneToSaveModel.ts): each panel asks Grafana's own
 * data source for frames, before transformations, that stand in the query itself. Grafana 9.4 reads
 * that too, with annotations as frames of a panel; Grafana 11 would lose those of the older form,
 * `snapshotData` of a panel.
 */
import type { Dashboard, Panel, Variable } from "./dashboards.ts";
import type { Annotation } from "./draw.ts";
import type { Field, Frame } from "./frames.ts";
import type { Choice, Range } from "./query.ts";

/** Of Grafana's grid. */
const COLUMNS = 24;
/** More than a panel has copies. */
const COPIES = 1000;
const GRAFANA = { type: "grafana", uid: "-- Grafana --" };

export type Snapshot = { name: string; expires: number; dashboard: Record<string, any> };
type Content = {
  name: string;
  /** By the panel's id, once for each value of what it varies by; without an entry, it has no data. */
  shown: Map<number, { title: string; frames: Frame[] }[]>;
  annotations: Annotation[];
  variables: Choice["variables"];
  range: Range;
};

/** @returns body of POST /api/snapshots; it is kept until it is deleted */
export function snapshotOf(dashboard: Dashboard, content: Content): Snapshot {
  const { name, shown, annotations, variables, range } = content;
  const withData = (panel: Panel): Record<string, any>[] => {
    if (panel.type === "row") return [{ ...panel, panels: panel.panels?.flatMap(withData) }];
    const all = shown.get(panel.id) ?? [{ title: panel.title, frames: [] }];
    return all.map(({ title, frames }, index) => {
      const snapshot = frames.map(frameJson);
      if (panel.type === "timeseries" && annotations.length > 0)
        snapshot.push(annotationJson(annotations));
      const target = { refId: "A", datasource: GRAFANA, queryType: "snapshot", snapshot };
      const copy = { ...panel, ...(all.length > 1 && copyOf(panel, index)), title };
      return { ...copy, repeat: undefined, links: [], datasource: GRAFANA, targets: [target] };
    });
  };
  const variablesNow = dashboard.templating?.list ?? [];
  const marked = (dashboard.annotations?.list ?? []).filter(({ enable }) => enable);
  return {
    name,
    expires: 0,
    dashboard: {
      ...{ ...dashboard, id: null, title: name, links: [], refresh: "" },
      time: { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() },
      panels: dashboard.panels.flatMap(withData),
      templating: { list: variablesNow.map((one) => fixed(one, variables)) },
      // An empty list keeps Grafana 9.4 from asking: those of the panels are shown.
      annotations: {
        list: marked.map(({ name, enable, iconColor, type, builtIn, hide }) => ({
          ...{ name, enable, iconColor, type, builtIn, hide, snapshotData: [] },
        })),
      },
    },
  };
}

/** Beside each other as far as there is room; the panels below make way. */
function copyOf({ id, gridPos }: Panel, index: number) {
  if (!gridPos) return { id: id * COPIES + index };
  const perRow = Math.max(1, Math.floor(COLUMNS / gridPos.w));
  const [x, row] = [(index % perRow) * gridPos.w, Math.floor(index / perRow)];
  return { id: id * COPIES + index, gridPos: { ...gridPos, x, y: gridPos.y + row * gridPos.h } };
}

function fixed(variable: Variable, variables: Choice["variables"]) {
  const { values, all } = variables[variable.name] ?? { values: [] };
  const [text, value] = all ? [["All"], ["$__all"]] : [values, values];
  const current = variable.multi
    ? { selected: true, text, value }
    : { selected: true, text: text[0] ?? "", value: value[0] ?? "" };
  const empty = { datasource: null, query: "", definition: "", refresh: 0 };
  return { ...variable, ...empty, current, options: [current] };
}

/** @returns as Grafana's dataFrameFromJSON reads it */
function frameJson({ refId, name, fields }: { refId?: string; name?: string; fields: Field[] }) {
  const schema: Record<string, any> = {
    ...{ refId, name },
    fields: fields.map(({ name, type, labels, config = {} }) => ({ name, type, labels, config })),
  };
  return { schema, data: { values: fields.map(({ values }) => values) } };
}

function annotationJson(annotations: Annotation[]) {
  const { schema, data } = frameJson({
    name: "annotations",
    fields: [
      { name: "time", type: "time", values: annotations.map(({ ms }) => ms) },
      { name: "title", type: "string", values: annotations.map(({ title }) => title) },
      { name: "text", type: "string", values: annotations.map(({ text }) => text) },
    ],
  });
  return { schema: { ...schema, meta: { dataTopic: "annotations" } }, data };
}
