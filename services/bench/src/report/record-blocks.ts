/**
 * What a report says of the run itself: how to repeat it, what became of its cells, how fast the
 * machine was, and what it was.
 */
import { gzipSync } from "node:zlib";
import type { JudgedCell, Reported } from "../model/comparison.ts";
import { measureOfReference } from "../analyse/reference.ts";
import { versionsOf } from "../analyse/versions.ts";
import { counted, figure, number, range } from "../numbers.ts";
import { roundsBySetting } from "../plan/rounds.ts";
import { cellsToRepeat, repeatReason } from "../record/repeats.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Results } from "../model/record.ts";
import type { RepeatReason } from "../model/run-event.ts";
import { median } from "simple-statistics";
import type { Block } from "./block.ts";
import { details, note, table } from "./block.ts";
import type { Cell, Column, Table } from "./table.ts";
import { capital, flagText, list, loadOf, missingText, titleOfProxy } from "./text.ts";
import { columnTitle } from "./topics.ts";

const words = (...titles: string[]): Column[] => titles.map((title) => ({ title, words: true }));
const row = (...texts: (string | number)[]): Cell[] =>
  texts.map((text) => ({ text: String(text) }));
/** Of a commit: as GitHub shows it, and Git takes it. */
const COMMIT_DIGITS = 10;

/** `15 min on 2 cores`, and what makes the run again; its versions and loads. */
export function runBlocks({ comparisons: { proxies }, results }: Reported): Block[] {
  const { run, plan, environment } = results;
  const { Git: git, Machine: machine } = environment.details;
  const ms = run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null;
  const least = Math.min(plan.rounds, ...roundsBySetting(plan).map(({ rounds }) => rounds));
  const facts = [
    ms !== null && `${durationText(ms)} on ${machineText(results)}`,
    `${least < plan.rounds ? `${least} to ` : ""}${counted(plan.rounds, "round")}`,
    plan.proxyCpus > 0 && `proxy limited to ${counted(plan.proxyCpus, "core")}`,
    `${plan.keyType.toUpperCase()} key`,
  ];
  const reference = versionsOf(results, ["reference"]).map((version) => `reference ${version}`);
  const versions = [
    ...[...new Set(proxies.flatMap(({ version }) => version ?? []))].sort(),
    ...reference,
  ];
  const commit = git?.commit && machine ? String(git.commit).slice(0, COMMIT_DIGITS) : "";
  const told =
    versions.length > 0 ? [note(`Versions: ${versions.join(", ")}.${buildsText(results)}`)] : [];
  const loads = Object.entries(plan.scenarios).map(([scenario, { description, loop }]) => ({
    label: scenario,
    text: `${description} (${loop} loop)`,
  }));
  const inside: Block[] = [...told, { kind: "list", items: loads }];
  return [
    {
      kind: "run",
      facts: facts.filter(Boolean).join(" · "),
      command: [commit && `git checkout ${commit}`, run.command].filter(Boolean).join(" && "),
    },
    ...(run.remark ? [note(run.remark)] : []),
    ...details("Versions and loads", inside, inside),
  ];
}

function durationText(ms: number): string {
  const minutes = ms / 60_000;
  return minutes < 90
    ? `${number(Math.max(1, Math.round(minutes)))} min`
    : `${(minutes / 60).toFixed(1)} h`;
}

function machineText({ environment: { details, machines = [] } }: Results): string {
  if (machines.length > 1) return counted(machines.length, "machine");
  const { Machine: machine = {} } = details;
  return (
    [machine.cores && counted(Number(machine.cores), "core"), machine.CPU]
      .filter(Boolean)
      .join(", ") || "an unknown machine"
  );
}

/** A tag of this project's own is that of a build in offline/. */
function buildsText({ environment, proxies }: Results): string {
  const { Images: images = {}, Packages: packages = {} } = environment.details;
  const parts = [...proxies.flatMap(({ parts }) => parts), "reference"];
  if (!parts.some((part) => /^ws-proxy-bench\/[^,]+:/.test(String(images[part] ?? "")))) return "";
  const told = [...new Set(parts.flatMap((part) => packages[part] ?? []))].sort();
  return ` Built on the machine from packages, not the official images${told.length > 0 ? `: ${told.join("; ")}` : ""}.`;
}

export function validityBlocks(reported: Reported): Block[] {
  const { comparisons: file, results, cells } = reported;
  const title = (name: string) => titleOfProxy(file, name);
  const { sentence, open } = stateOf(results);
  const flags = file.flags.map((flag) => ({ label: flag.severity, text: flagText(flag, title) }));
  const uncounted = uncountedOf(reported);
  const negotiated = negotiatedText(cells);
  const state: Block[] = [{ kind: "text", text: sentence }];
  const items: Block[] = flags.length > 0 ? [{ kind: "list", items: flags }] : [];
  const rest = open.length > 0 ? [note(`Not run: ${open.join(", ")}.`)] : [];
  const reasons = (hasCells: boolean) => uncountedTable(uncounted, hasCells);
  const inside = [...items, ...rest, ...reasons(true), ...(negotiated ? [note(negotiated)] : [])];
  return details(`Validity: ${sentence}`, inside.length > 0 ? inside : state, [
    ...state,
    ...items,
    ...rest,
    ...reasons(false),
  ]);
}

/** @param hasCells whether it names them: results.csv does */
function uncountedTable(reasons: { why: string; ids: string[] }[], hasCells: boolean): Block[] {
  if (reasons.length === 0) return [];
  const titles = ["Why they do not count", "Attempts", ...(hasCells ? ["Cells"] : [])];
  const rows = reasons.map(({ why, ids }) =>
    row(why, ids.length, ...(hasCells ? [ids.join(", ")] : [])),
  );
  return [table({ title: "", note: "", head: words(...titles), rows })];
}

/** Whether all of the plan has a result. */
export function stateOf(results: Results): {
  isComplete: boolean;
  sentence: string;
  open: string[];
} {
  const { plan, cells, run } = results;
  const last = [...lastAttempts(results).values()];
  const recorded = new Set(last.map(({ id }) => id));
  const open = plan.cells
    .filter(({ id, skip }) => !recorded.has(id) && skip === null)
    .map(({ id }) => id);
  const skipped = plan.cells.filter(
    ({ id, skip }) =>
      skip !== null || last.some((one) => one.id === id && one.status === "skipped"),
  );
  const failed = last.filter(({ status }) => status === "failed").length;
  const isComplete = run.endedAt !== null && open.length === 0;
  const measured = plan.cells.length - skipped.length - failed - open.length;
  const parts = [
    `${number(measured)} of ${counted(plan.cells.length, "planned cell")} measured`,
    skipped.length > 0 && `${number(skipped.length)} skipped`,
    failed > 0 && `${number(failed)} failed`,
    open.length > 0 && `${number(open.length)} not run`,
    cells.length > last.length && `${counted(cells.length - last.length, "attempt")} repeated`,
    !isComplete &&
      cellsToRepeat(results).length > 0 &&
      `${counted(cellsToRepeat(results).length, "cell")} to repeat`,
  ];
  return {
    isComplete,
    sentence: `${isComplete ? "Complete" : "Interrupted"}: ${parts.filter(Boolean).join(", ")}.`,
    open,
  };
}

/** Attempts that do not count, by reason; what was not even tried with them. */
export function uncountedOf({
  comparisons: file,
  results,
  cells,
}: Reported): { why: string; ids: string[] }[] {
  const title = (name: string) => titleOfProxy(file, name);
  const before = (record: CellRecord) => results.cells.slice(0, results.cells.indexOf(record));
  const reasons = cells
    .filter((cell) => !cell.counted)
    .map(({ record, flags }) => {
      const { id, attempt, cause } = record;
      const invalid = flags.filter(({ severity }) => severity === "invalid");
      const why = cause
        ? missingText({ kind: "failed", cause }, title)
        : invalid.map((flag) => flagText(flag, title)).join("; ") ||
          REPEATED[repeatReason(record, before(record)) ?? "none"];
      // Two cells that others disturbed have one reason, each with its own figure.
      const key = cause ? why : invalid.map(({ code }) => code).join() || why;
      return { id: attempt > 1 ? `${id} (attempt ${attempt})` : id, key, why };
    });
  const recorded = new Set(results.cells.map(({ id }) => id));
  const planned = results.plan.cells.flatMap(({ id, skip }) => {
    if (skip === null || recorded.has(id)) return [];
    const why = missingText({ kind: "skipped", why: skip }, title);
    return [{ id, key: why, why }];
  });
  return [...Map.groupBy([...reasons, ...planned], ({ key }) => key).values()]
    .map((own) => ({ why: capital(own[0].why), ids: own.map(({ id }) => id) }))
    .sort((a, b) => b.ids.length - a.ids.length);
}

/** Of an attempt that ended well, and yet there is a later one of its cell. */
const REPEATED: Record<RepeatReason | "none", string> = {
  failed: "failed: repeated",
  disturbed: "disturbed by other load: repeated",
  "off index": "the machine was slower or faster than usual: repeated",
  none: "repeated",
};

function lastAttempts({ cells }: Results): Map<string, CellRecord> {
  return new Map(cells.map((record) => [record.id, record]));
}

function negotiatedText(cells: JudgedCell[]): string {
  const all = cells.flatMap(({ record: { tls } }) =>
    tls
      ? [`${tls.version} ${tls.cipher} ${tls.group} ${tls.keyType}${tls.resumed ? " resumed" : ""}`]
      : [],
  );
  const counts = [...Map.groupBy(all, (text) => text)].map(
    ([text, same]) => `${text} (${counted(same.length, "cell")})`,
  );
  return counts.length > 0 ? `Negotiated TLS: ${list(counts)}.` : "";
}

const INDEX_NOTE =
  "In every cell a pinned nginx, the reference, carried a share of the same load. Where it had turns of its own, proxies rank by CPU time relative to the reference. Where it ran beside the proxy, they rank by CPU time as measured, because it then costs up to 13 % more itself. × reference is of the load named alone; runs hours apart differ by more than their intervals. × best: times the lowest of the column before. SD: over the rounds, in % of the mean.";

/** How fast the machine was, and each proxy beside it. */
export function indexBlocks({ comparisons: file, cells }: Reported): Block[] {
  const indexed = file.comparisons.filter(
    ({ settings, figures }) => settings.length === 1 && figures.some(({ extra }) => extra.spread),
  );
  const percent = (value: number | null) => (value === null ? "–" : `${figure(value)} %`);
  const tables = indexed.map((one): Table => {
    const index = indexOf(cells, one.settings[0], one.measure.key);
    const raw = one.figures.flatMap(({ extra }) => extra.spread?.rawUs ?? []);
    const held = one.figures.flatMap(({ extra }) => extra.toReference ?? []);
    return {
      title: [one.measure.title, columnTitle(one, file), loadOf(one)].filter(Boolean).join(", "),
      note:
        index.length > 0
          ? `Reference: ${figure(median(index))} µs (${range([Math.min(...index), Math.max(...index)], median(index))}).`
          : "",
      head: [
        { title: "Proxy", words: true },
        { title: "As measured, µs" },
        { title: "× best" },
        { title: "SD" },
        { title: "× reference" },
        { title: "× best" },
        { title: "SD" },
      ],
      rows: one.figures.flatMap(({ proxy, extra: { toReference, spread } }) =>
        toReference === undefined || !spread
          ? []
          : [
              [
                { text: titleOfProxy(file, proxy), proxy },
                ...row(
                  figure(spread.rawUs),
                  timesBest(spread.rawUs, raw),
                  percent(spread.rawPercent),
                  toReference.toFixed(2),
                  timesBest(toReference, held),
                  percent(spread.heldPercent),
                ),
              ],
            ],
      ),
    };
  });
  if (tables.length === 0) return [];
  return details("Machine index: CPU relative to the reference", [
    note(INDEX_NOTE),
    ...tables.map(table),
  ]);
}

function timesBest(value: number, all: number[]): string {
  return `${(value / Math.min(...all)).toFixed(2)}×`;
}

function indexOf(cells: JudgedCell[], setting: string, key: string): number[] {
  const index = measureOfReference(key) ?? "";
  return cells
    .filter((cell) => cell.counted && cell.setting === setting)
    .flatMap(({ measures }) => measures[index] ?? []);
}

export function environmentBlocks({ results }: Reported): Block[] {
  const { details: groups, identity, advice, machines = [] } = results.environment;
  const groupsOf = (
    all: Record<string, Record<string, string | number | boolean | null>>,
  ): Block[] => Object.entries(all).map(([title, values]) => ({ kind: "values", title, values }));
  const settings = table({
    title: "Host settings that were not as advised",
    note: "",
    head: words("Setting", "Weight", "Found", "Advised", "Why", "What to do"),
    rows: advice.map(({ setting, severity, found, expected, why, fix }) =>
      row(setting, severity, found, expected, why, fix),
    ),
  });
  const several = machinesBlocks(machines);
  return details(
    "Environment",
    [
      ...several,
      ...groupsOf(groups),
      ...groupsOf({ "Must be the same to resume": identity }),
      ...(advice.length > 0 ? [settings] : []),
    ],
    several,
  );
}

function machinesBlocks(machines: NonNullable<Results["environment"]["machines"]>): Block[] {
  if (machines.length === 0) return [];
  const rows = machines.map(({ name, roles, engine, cores, memoryBytes, kernel, clock }) =>
    row(
      name,
      roles.join(", "),
      engine,
      cores,
      `${figure(memoryBytes / 2 ** 30)} GiB`,
      kernel,
      clock ? `${figure(clock.offsetMs)} ms ± ${figure(clock.uncertaintyMs)}` : "the runner's",
    ),
  );
  return [
    table({
      title: "",
      note: "",
      head: words("Machine", "Roles", "Engine", "Cores", "Memory", "Kernel", "Clock"),
      rows,
    }),
  ];
}

/**
 * The record: beside a published report, inside of any other, which may be all that somebody is
 * sent.
 */
export function dataBlocks(results: Results): Block[] {
  const { archive, run } = results;
  if (archive)
    return [
      note(
        `Beside this file: comparisons.json (all figures) and results.json (the record); ./bench report adds results.csv (one line per attempt) and a page with charts. Raw samples and logs: ${archive.file}${archive.commit ? ` of commit ${archive.commit}` : ""}, ${counted(archive.files, "file")}, SHA-256 ${archive.sha256}.`,
      ),
    ];
  const record = gzipSync(JSON.stringify(results), { level: 9 }).toString("base64");
  return [
    note(
      "Beside this file: results.csv (one line per attempt), comparisons.json (all figures) and results.json (the record).",
    ),
    {
      kind: "download",
      text: "Save the record inside this file",
      name: `${run.name}.json.gz`,
      href: `data:application/gzip;base64,${record}`,
    },
  ];
}
