/**
 * From InfluxDB's answer to what a panel shows: frames as Grafana's data source makes them, the
 * panel's transformations, the look of each field. What is known here is what our dashboards use;
 * anything else is refused by its name.
 */
import type { Series } from "../platform/influx.ts";
import { csvText } from "../record/csv.ts";
import type { Config, Panel, Target } from "./dashboards.ts";

/** A column; times are in ms since 1970. */
export type Field = {
  name: string;
  type: "time" | "number" | "string" | "boolean";
  values: any[];
  /** Tags of its series. */
  labels?: Record<string, string>;
  config?: Config;
};
/** Fields of equal length. */
export type Frame = { refId: string; name?: string; fields: Field[] };
/** A field as the panel shows it: with its defaults, and its overrides for this field. */
export type Shown = { field: Field; times: number[]; frame: Frame; name: string; config: Config };

/** @returns a series each; of a table, one */
export function framesOf({ refId, alias = "", resultFormat }: Target, series: Series[]): Frame[] {
  if (resultFormat === "table") return series.length > 0 ? [tableOf(refId, series)] : [];
  return series.flatMap(({ tags, columns, values: rows }) =>
    columns.slice(1).map((column, i) => {
      const name = alias.replace(/\$(tag_)?(\w+)/g, (match, isTag, key) =>
        isTag ? (tags[key] ?? match) : key === "col" ? column : match,
      );
      const values = rows.map((row) => row[i + 1]);
      const config = { displayNameFromDS: name };
      const time: Field = { name: "Time", type: "time", values: rows.map(([ms]) => ms) };
      const value: Field = { name: "Value", type: typeOf(values), values, labels: tags, config };
      return { refId, name, fields: [time, value] };
    }),
  );
}

/** @returns time, tags, columns */
function tableOf(refId: string, series: Series[]): Frame {
  const [first] = series;
  const tags = Object.keys(first.tags);
  const rows = series.flatMap((one) =>
    one.values.map(([time, ...values]) => [time, ...tags.map((tag) => one.tags[tag]), ...values]),
  );
  const names = [first.columns[0], ...tags, ...first.columns.slice(1)];
  const fields = names.map((name, i): Field => {
    const values = rows.map((row) => row[i] ?? null);
    return name === "time"
      ? { name: "Time", type: "time", values }
      : { name, type: typeOf(values), values };
  });
  return { refId, fields };
}

function typeOf(values: any[]): Field["type"] {
  const found = typeof values.find((value) => value !== null);
  return found === "string" || found === "boolean" ? found : "number";
}

type Transform = (frame: Frame, options: any) => Frame;

/** @param change of a field; []: it is left out */
function eachField(change: (field: Field, options: any) => Field | []): Transform {
  return (frame, options) => ({
    ...frame,
    fields: frame.fields.flatMap((field) => change(field, options)),
  });
}

const TRANSFORMATIONS: Record<string, Transform> = {
  renameByRegex: eachField((field, { regex, renamePattern }) => {
    const displayName = nameOf(field).replace(new RegExp(regex), renamePattern);
    return field.type === "time" || displayName === nameOf(field)
      ? field
      : { ...field, config: { ...field.config, displayName } };
  }),
  organize: eachField((field, { excludeByName, ...unknown }) => {
    const others = Object.values(unknown).flatMap((option) => Object.keys(option ?? {}));
    if (others.length > 0)
      throw new Error("./bench export knows of the transformation organize excludeByName alone");
    return excludeByName[nameOf(field)] ? [] : field;
  }),
  sortBy: (frame, { sort: [by] }) => sorted(frame, by),
  groupingToMatrix: (frame, { columnField, rowField, valueField }) => {
    const valuesOf = (name: string) => fieldOf(frame, name)?.values ?? [];
    const [columns, rows, values] = [columnField, rowField, valueField].map(valuesOf);
    const [columnNames, rowNames] = [columns, rows].map((all) => [...new Set(all)]);
    const cell = (row: unknown, column: unknown) =>
      values.find((_, i) => rows[i] === row && columns[i] === column) ?? "";
    const first = { name: `${rowField}\\${columnField}`, type: "string" as const };
    return {
      ...frame,
      fields: [
        { ...first, values: rowNames },
        ...columnNames.map((column): Field => {
          return { name: column, type: "string", values: rowNames.map((row) => cell(row, column)) };
        }),
      ],
    };
  },
};

/** @param by a field that the frame may lack */
export function sorted(frame: Frame, { field, desc }: { field: string; desc?: boolean }): Frame {
  const key = fieldOf(frame, field)?.values;
  if (!key) return frame;
  const sign = desc ? -1 : 1;
  const order = [...key.keys()].sort((a, b) => {
    const [x, y] = [key[a], key[b]];
    return sign * (typeof x === "string" ? x.localeCompare(String(y)) : Number(x) - Number(y));
  });
  const fields = frame.fields.map((each) => {
    return { ...each, values: order.map((row) => each.values[row]) };
  });
  return { ...frame, fields };
}

function fieldOf({ fields }: Frame, name: string): Field | undefined {
  return fields.find((field) => nameOf(field) === name);
}

/** @returns them as the panel shows them */
function transformed(frames: Frame[], { transformations = [] }: Panel): Frame[] {
  return transformations.reduce((before, { id, options }) => {
    const transform = TRANSFORMATIONS[id];
    if (!transform) throw new Error(`./bench export does not know the transformation ${id}`);
    return before.map((frame) => transform(frame, options));
  }, frames);
}

function nameOf({ name, config }: Field): string {
  return config?.displayName ?? config?.displayNameFromDS ?? name;
}

/** @returns every field of every frame after the panel's transformations, in their order */
export function shownFields(frames: Frame[], panel: Panel): Shown[] {
  const { defaults = {}, overrides = [] } = panel.fieldConfig ?? {};
  return transformed(frames, panel).flatMap((frame) => {
    const times = frame.fields.find(({ type }) => type === "time")?.values ?? [];
    return frame.fields.map((field) => {
      const name = nameOf(field);
      const config = structuredClone({ ...defaults, ...field.config });
      for (const { matcher, properties } of overrides) {
        const matches = MATCHERS[matcher.id];
        if (!matches)
          throw new Error(`./bench export does not know the matcher ${matcher.id} of an override`);
        if (!matches(name, matcher.options)) continue;
        for (const { id, value } of properties) {
          const [key, inner] = id.split(".");
          config[key] = inner === undefined ? value : { ...config[key], [inner]: value };
        }
      }
      return { field, times, frame, name: config.displayName ?? name, config };
    });
  });
}

const MATCHERS: Record<string, (name: string, options: string) => boolean> = {
  byName: (name, options) => name === options,
  byRegexp: (name, options) => new RegExp(options.replace(/^\/|\/$/g, "")).test(name),
};

/** @returns those that are not hidden */
export function visibleFields(frames: Frame[], panel: Panel): Shown[] {
  return shownFields(frames, panel).filter(
    ({ config: { custom } }) => !custom?.hideFrom?.viz && !custom?.hidden,
  );
}

export function hasData(frames: Frame[], panel: Panel): boolean {
  return visibleFields(frames, panel).some(
    ({ field }) => field.type !== "time" && field.values.some((value) => value !== null),
  );
}

/** @returns what the dashboard says where there is no data, if that is more than a sign */
export function reasonOf({ fieldConfig }: Panel): string {
  const noValue = fieldConfig?.defaults.noValue ?? "";
  return /\p{L}/u.test(noValue) ? noValue : "No sample in this range";
}

/** Points before it are of cells that lie over each other: none lasts a day. */
const ALIGNED_BEFORE_MS = 86_400_000;

/** Whether times are counted from the start of a cell, as the dashboard lays cells over each other. */
export function areAligned(times: number[]): boolean {
  return times.every((ms) => ms < ALIGNED_BEFORE_MS);
}

/**
 * @returns series beside each other, a row for each time; of a table all that was asked, hidden
 *   columns too; figures over a whole range have no time
 */
export function csvOf(frames: Frame[], panel: Panel): string {
  const isTable = panel.type === "table";
  const kept = ["sortBy", "renameByRegex"];
  const transformations = panel.transformations?.filter(({ id }) => !isTable || kept.includes(id));
  const fields = shownFields(frames, { ...panel, transformations });
  const time = (ms: number) => new Date(ms).toISOString();
  if (isTable) {
    const rows = fields[0].field.values.map((_, i) =>
      fields.map(({ field: { type, values } }) => (type === "time" ? time(values[i]) : values[i])),
    );
    return csvText([fields.map(({ name }) => name), ...rows]);
  }
  const columns = fields.filter(({ field }) => field.type !== "time");
  const names = columns.map(({ name }) => name);
  // What a query of no time range computes has the time 0.
  if (columns.every(({ times }) => times.every((ms) => ms === 0)))
    return csvText([
      ["Name", "Value"],
      ...columns.map(({ field }, i) => [names[i], lastOf(field)]),
    ]);
  const rows = new Map<number, any[]>();
  for (const [column, { field, times }] of columns.entries())
    for (const [i, ms] of times.entries()) {
      if (!rows.has(ms))
        rows.set(
          ms,
          names.map(() => null),
        );
      rows.get(ms)![column] = field.values[i];
    }
  const isAligned = areAligned([...rows.keys()]);
  const at = (ms: number) => (isAligned ? ms / 1000 : time(ms));
  const ordered = [...rows].sort(([a], [b]) => a - b).map(([ms, row]) => [at(ms), ...row]);
  return csvText([[isAligned ? "Seconds" : "Time", ...names], ...ordered]);
}

function lastOf({ values }: Field): any {
  return values.findLast((value) => value !== null) ?? null;
}
