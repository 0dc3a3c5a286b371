/**
 * A dashboard with its data inside, for a Grafana that has neither this project's InfluxDB nor its files.
 *
 * Made as the share dialog of current Grafana makes one (transformSceneToSaveModel.ts, trimDashboardForSnapshot): each panel
 * asks Grafana's own data source, which every Grafana has, for the frames that stand in the query itself. Grafana 9.4 reads
 * that too (its plugins/datasource/grafana/datasource.ts), and shows annotations that come as frames of a panel. The older
 * form, a panel's `snapshotData`, would lose the annotations in Grafana 11 and later. Frames are those before the panel's
 * transformations, which Grafana applies itself.
 *
 * @import { Dashboard, Panel } from "./dashboards.js"
 * @import { Frame } from "./frames.js"
 * @import { Chosen } from "./interpolate.js"
 *
 * @typedef {{ms: number, title: string, text: string}} Annotation
 */

const GRAFANA = { type: "grafana", uid: "-- Grafana --" };

/**
 * @param {Dashboard} dashboard
 * @param {object} content
 * @param {string} content.name of the snapshot
 * @param {Map<number, Frame[]>} content.frames by the panel's id; a panel without an entry has no data
 * @param {Annotation[]} content.annotations
 * @param {Record<string, Chosen>} content.variables
 * @param {{fromMs: number, toMs: number}} content.range
 * @returns {{name: string, expires: number, dashboard: Record<string, any>}} body of POST /api/snapshots
 */
export function snapshotOf(dashboard, { name, frames, annotations, variables, range }) {
  /** @param {Panel} panel @returns {Record<string, any>} */
  const withData = (panel) => {
    const panels = panel.panels?.map(withData);
    if (panel.type === "row") return { ...panel, panels };
    const snapshot = (frames.get(panel.id) ?? []).map(frameJson);
    const marked = panel.type === "timeseries" && annotations.length > 0;
    return {
      ...panel,
      links: [],
      datasource: GRAFANA,
      targets: [
        {
          refId: "A",
          datasource: GRAFANA,
          queryType: "snapshot",
          snapshot: marked ? [...snapshot, annotationJson(annotations)] : snapshot,
        },
      ],
    };
  };
  return {
    name,
    // In seconds; 0: it is kept until it is deleted.
    expires: 0,
    dashboard: {
      ...dashboard,
      id: null,
      title: name,
      links: [],
      refresh: "",
      time: { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() },
      panels: dashboard.panels.map(withData),
      templating: {
        list: (dashboard.templating?.list ?? []).map((one) => fixed(one, variables[one.name])),
      },
      annotations: {
        list: (dashboard.annotations?.list ?? [])
          .filter(({ enable }) => enable)
          // An empty list keeps Grafana 9.4 from asking: those of the panels are shown.
          .map(({ name, enable, iconColor, type, builtIn, hide }) => ({
            ...{ name, enable, iconColor, type, builtIn, hide },
            snapshotData: [],
          })),
      },
    },
  };
}

/**
 * @param {any} variable
 * @param {Chosen | undefined} chosen
 */
function fixed(variable, chosen) {
  const values = chosen?.all ? ["$__all"] : (chosen?.values ?? []);
  const text = chosen?.all ? ["All"] : values;
  const current = variable.multi
    ? { selected: true, text, value: values }
    : { selected: true, text: text[0] ?? "", value: values[0] ?? "" };
  return {
    ...variable,
    datasource: null,
    query: "",
    definition: "",
    refresh: 0,
    current,
    options: [current],
  };
}

/**
 * @param {Frame} frame
 * @returns {{schema: Record<string, any>, data: {values: any[][]}}} as Grafana's dataFrameFromJSON reads it
 */
function frameJson({ refId, name, fields }) {
  return {
    schema: {
      refId,
      name,
      fields: fields.map(({ name, type, labels, config }) => ({
        name,
        type,
        labels,
        config: config ?? {},
      })),
    },
    data: { values: fields.map(({ values }) => values) },
  };
}

/** @param {Annotation[]} annotations */
function annotationJson(annotations) {
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
