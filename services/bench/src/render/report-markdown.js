/**
 * report.md: the short report, in GitHub's Markdown, for a pull request or a post.
 *
 * @import { Analysis, Setting } from "../analyse/types.js"
 * @import { SlopeEntry } from "./memory-texts.js"
 * @import { GlanceCell } from "./glance.js"
 * @import { TextCell, TextTable } from "./delay-texts.js"
 * @import { Column, Entry } from "./model.js"
 */
import { figure, NONE } from "../numbers.js";
import {
  capacityRows,
  capacityTitle,
  COLUMNS,
  controlText,
  promiseText,
  stretchedText,
} from "./capacity-texts.js";
import {
  COURSE_COLUMNS,
  COURSE_NOTE,
  courseRows,
  courseText,
  courseTitle,
} from "./course-texts.js";
import { experimentSentences, experimentTexts } from "./experiment-texts.js";
import { MATRIX_NOTE, matrixOf } from "./survival-texts.js";
import { glanceOf } from "./glance.js";
import { plain, table } from "./markdown.js";
import { claimText, toldClaims, untoldText } from "./claim-texts.js";
import { verdictTexts } from "./verdicts.js";
import { versionsText } from "./measured-versions.js";
import { capital, placesTitle, settingTitle, slopesTitle, titleOfProxy } from "./words.js";
import { buffersNote, slopeTable } from "./memory-texts.js";
import { badAnswerTexts } from "./bad-answer-texts.js";
import { INDEX_NOTE, indexTables } from "./index-texts.js";
import {
  BESIDE_NOTE,
  DELAY_NOTE,
  delayTable,
  delayTitle,
  EQUAL_NOTE,
  equalLoadTable,
  rateNote,
} from "./delay-texts.js";
import { findingSentence, findingText, tellFindings } from "./findings.js";
import { networkHeading, networkNote, networkTable, networkTitle } from "./network-texts.js";
import { MULTIPLEXING_NOTE, multiplexingTable, multiplexingTitle } from "./multiplexing-texts.js";
import {
  comparesNothing,
  dated,
  headline,
  looks,
  mainTable,
  NO_PAIR,
  ownPairs,
  PLACES,
  runState,
  selfTable,
  settingFindings,
} from "./model.js";

/**
 * @param {Analysis} analysis
 * @returns {string}
 */
export function renderMarkdown(analysis) {
  const { results, findings, settings, published } = analysis;
  const { lead, verdicts } = verdictTexts(analysis);
  const blocks = [
    `# ${plain(results.plan.title)}`,
    ...badAnswerBlocks(analysis),
    ...matrixBlocks(analysis),
    ...experimentSentences(analysis).map((sentence) => `**${plain(sentence)}**`),
    ...glanceBlocks(analysis),
    plain(versionsText(results)),
    plain(headline(analysis)),
    plain(runState(results).sentence),
    ...(verdicts.length > 0 ? ["## Verdicts", plain(lead.join(" "))] : []),
    ...verdicts.map(({ question, answers, caveats }) =>
      [
        `**${plain(question)}**`,
        "",
        ...answers.flatMap(({ over, text, singles, caveats }) => [
          `- ${plain(over)}: ${plain(text)}`,
          ...singles.map((one) => `  - ${plain(one.over)}: ${plain(one.text)}`),
          ...caveats.map((caveat) => `  - ${plain(caveat)}.`),
        ]),
        ...caveats.map((caveat) => `- ${plain(caveat)}.`),
      ].join("\n"),
    ),
    ...experimentBlocks(analysis),
    ...capacityBlocks(analysis),
    ...noiseBlocks(analysis),
    ...indexBlocks(analysis),
    ...(comparesNothing(analysis) ? [] : ["## Figures"]),
    ...settings.flatMap((setting) => settingBlocks(analysis, setting)),
    ...rateBlocks(analysis),
    ...multiplexingBlocks(analysis),
    ...networkBlocks(analysis),
    ...placeBlocks(analysis),
    ...slopeBlocks(analysis),
    ...courseBlocks(analysis),
  ];
  if (published) {
    const { title, machine, source } = published;
    const claims = toldClaims(published);
    blocks.push(
      `## Claims of ${plain(dated(title, published))}`,
      `Another machine, another time: ${plain(machine)} Source: ${plain(source)}`,
      claims.length > 0
        ? table(
            ["Claim", "Outcome", "Today"],
            claims.map((told) => [
              plain(told.claim.claim),
              plain(told.claim.outcome),
              plain(claimText(told, analysis)),
            ]),
          )
        : "",
      plain(untoldText(published)),
    );
  }
  blocks.push("## Validity");
  // What has no such event is said there.
  const tried = analysis.experimentCells.filter(({ record }) => record.status !== "skipped");
  const uncounted = [...analysis.cells, ...tried].filter((cell) => !cell.counted);
  const causes = uncounted.map(({ record, findings }) => {
    const why = record.cause
      ? `${record.cause.kind}: ${record.cause.message}`
      : findings
          .filter(({ severity }) => severity === "invalid")
          .map((finding) => findingText(finding))
          .join(" ");
    return `- ${plain(record.id)}, attempt ${record.attempt}: ${record.status}, not counted. ${plain(why)}`;
  });
  const about = [
    ...tellFindings(findings, (name) => titleOfProxy(results, name)).map(
      (finding) => `- ${finding.severity}: ${plain(findingSentence(finding))}`,
    ),
    ...causes,
  ];
  blocks.push(about.length > 0 ? about.join("\n") : "No finding; every cell counts.");
  blocks.push(
    "## Environment",
    "Long values are cut; report.html has them whole.",
    Object.entries(results.environment.details)
      .map(([name, values]) => {
        const shown = Object.entries(values)
          .filter(([, value]) => value !== null)
          .map(([label, value]) => `${label} ${shortened(String(value))}`);
        return `- **${plain(name)}**: ${plain(shown.join("; "))}`;
      })
      .join("\n"),
    "## Repeat it",
    fenced(results.run.command),
  );
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function indexBlocks(analysis) {
  const tables = indexTables(analysis);
  if (tables.length === 0) return [];
  return [
    "## Machine index",
    INDEX_NOTE,
    ...tables.flatMap(({ title, index, head, rows }) => [
      `### ${plain(title)}`,
      index,
      table(
        head,
        rows.map((row) => row.map(plain)),
      ),
    ]),
  ];
}

/**
 * @param {Pick<Analysis, "results" | "overview">} analysis
 * @returns {string[]} whom to choose: a sentence, a table and how to read it; empty: there is nothing to see at a glance
 */
export function glanceBlocks(analysis) {
  const glance = glanceOf(analysis);
  if (!glance) return [];
  const { sentence, proxies, columns, gaps, legend } = glance;
  const all = looks(analysis.results);
  const cellText = (/** @type {GlanceCell | undefined} */ cell) => {
    if (!cell) return NONE;
    const { text, spread, amount, rank, isFirst } = cell;
    const own = isFirst ? `**${text}**` : text;
    return [spread ? `${own} (${spread})` : own, amount, rank && `rank ${rank}`]
      .filter(Boolean)
      .join(", ");
  };
  return [
    `**${plain(sentence)}**`,
    table(
      [
        "Proxy",
        ...columns.map(({ title, hasRatios }) =>
          plain(capital(title) + (hasRatios ? ", × best" : "")),
        ),
      ],
      proxies.map((name) => [
        plain(all[name].label),
        ...columns.map(({ cells }) => cellText(cells.find(({ proxy }) => proxy === name))),
      ]),
      ["---", ...columns.map(() => "--:")],
    ),
    [legend, ...gaps.map(({ title, gap }) => `${title}: ${gap}.`)].map(plain).join(" "),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function noiseBlocks(analysis) {
  const pairs = ownPairs(analysis);
  if (pairs.length === 0) return comparesNothing(analysis) ? [] : ["## Noise floor", NO_PAIR];
  const tables = pairs.flatMap(({ proxy, copy, settings }) =>
    settings.flatMap(({ setting, measures }) => [
      `### ${plain(settingTitle(setting, analysis.settings))}`,
      table(
        ["Measure", `${copy} / ${proxy}`, "Outcome", "p", "Detectable", proxy, copy].map(plain),
        selfTable(analysis, measures).map((entry) => [
          plain(entry.title),
          `${entry.ratio}${entry.spread && ` (${entry.spread})`}`,
          entry.outcome,
          entry.p,
          entry.detectable,
          ...entry.medians,
        ]),
        ["---", "--:", "---", "--:", "--:", "--:", "--:"],
      ),
    ]),
  );
  return ["## Noise floor", ...tables];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]} which proxy loses how much in which event
 */
function matrixBlocks(analysis) {
  const all = looks(analysis.results);
  const matrices = analysis.survivals.flatMap((setting) => {
    const { title, columns, rows, sentences } = matrixOf(analysis, setting);
    return [
      ...sentences.map((sentence) => `**${plain(sentence)}**`),
      table(
        [
          plain(title),
          ...columns.map(({ event, isControl }) => plain(isControl ? `${event} (control)` : event)),
        ],
        rows.map(({ proxy, isControl, fields }) => [
          isControl ? `*${plain(all[proxy].label)} (control)*` : plain(all[proxy].label),
          ...fields.map(({ survived, failed, isWorst, note }) =>
            [
              isWorst ? `**${plain(survived)}**` : plain(survived),
              failed && `new: ${plain(failed)}`,
              plain(note),
              isWorst && "**worst**",
            ]
              .filter(Boolean)
              .join(", "),
          ),
        ]),
        ["---", ...columns.map(() => "--:")],
      ),
    ];
  });
  return matrices.length > 0 ? [...matrices, plain(MATRIX_NOTE)] : [];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function experimentBlocks(analysis) {
  const texts = experimentTexts(analysis);
  if (texts.length === 0) return [];
  return [
    "## What happened",
    ...new Set(texts.map(({ note }) => plain(note))),
    ...texts.flatMap(({ title, answers, without, columns, rows }) => [
      `### ${plain(title)}`,
      [
        ...answers.map(({ name, text }) => `- ${plain(name)}: ${plain(text)}.`),
        without && plain(without),
      ]
        .filter(Boolean)
        .join("\n"),
      rows.length > 0
        ? table(
            ["Proxy", ...columns].map(plain),
            rows.map(({ title, cells }) => [title, ...cells].map(plain)),
          )
        : "",
    ]),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function capacityBlocks(analysis) {
  const { capacities } = analysis;
  if (capacities.length === 0) return [];
  return [
    "## The most under a promise",
    plain(promiseText(analysis)),
    ...capacities.flatMap((setting) => [
      `### ${plain(capacityTitle(setting))}`,
      table(
        ["Proxy", ...COLUMNS.map(({ title, unit }) => (unit ? `${title}, ${unit}` : title))],
        capacityRows(analysis, setting).map(({ title, cells }) => [title, ...cells].map(plain)),
        ["---", ...COLUMNS.map(() => "---")],
      ),
      plain(controlText(setting) ?? ""),
      plain(stretchedText(analysis, setting) ?? ""),
    ]),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function rateBlocks(analysis) {
  const { delays, equalLoads, results } = analysis;
  const all = looks(results);
  const cellText = (/** @type {TextCell} */ { text, detail, rank }) =>
    [text && `${text}${detail && ` (${detail})`}`, rank && `rank ${rank}`]
      .filter(Boolean)
      .join(", ");
  const tableText = (/** @type {TextTable} */ { head, rows }) =>
    table(
      ["Proxy", ...head.map(({ title, small }) => plain(`${title}, ${small}`))],
      rows.map(({ proxy, isControl, cells }) => [
        isControl ? `*${plain(all[proxy].label)} (control)*` : plain(all[proxy].label),
        ...cells.map((cell) => plain(cellText(cell))),
      ]),
      ["---", ...head.map(() => "--:")],
    );
  const isBeside = delays.some(({ setting }) => setting.scheme === "wss");
  return [
    ...(delays.length > 0
      ? ["## Delay at a fixed rate", plain(DELAY_NOTE), isBeside ? plain(BESIDE_NOTE) : ""]
      : []),
    ...delays.flatMap((delay) => [
      `### ${plain(delayTitle(analysis, delay))}`,
      plain(rateNote(analysis, delay)),
      tableText(delayTable(delay)),
    ]),
    ...(equalLoads.length > 0 ? ["## Cost at equal load", plain(EQUAL_NOTE)] : []),
    ...equalLoads.flatMap((load) => {
      const { title, table } = equalLoadTable(analysis, load);
      return [`### ${plain(title)}`, tableText(table)];
    }),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]} sums over sizes alone: single settings are in report.html
 */
function placeBlocks(analysis) {
  const { results, cpuByPlace } = analysis;
  const all = looks(results);
  const sums = cpuByPlace.filter(({ settings }) => settings.length > 1);
  if (sums.length === 0) return [];
  const text = (/** @type {typeof sums[number]["rows"][number]["places"]} */ places) =>
    places
      .map(
        ({ total, user, system }) =>
          `${figure(total.value)} (user ${figure(user)}, kernel ${figure(system)})`,
      )
      .join(", ") || NONE;
  return [
    "## CPU by place, s",
    ...sums.flatMap(({ settings, rows }) => [
      `### ${plain(placesTitle(settings, analysis.settings))}`,
      table(
        ["Proxy", ...PLACES.map(([, name]) => name), "Together"],
        rows.map(({ proxy, places, total }) => [
          plain(all[proxy].label),
          ...PLACES.map(([place]) => text(places.filter((one) => one.place === place))),
          figure(total?.value),
        ]),
        ["---", ...PLACES.map(() => "--:"), "--:"],
      ),
    ]),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function multiplexingBlocks(analysis) {
  if (analysis.multiplexing.length === 0) return [];
  return [
    "## WebSockets that share a connection",
    plain(MULTIPLEXING_NOTE),
    ...analysis.multiplexing.flatMap((one) => {
      const { columns, rows } = multiplexingTable(analysis, one);
      return [
        `### ${plain(multiplexingTitle(one))}`,
        table(
          ["Proxy", ...columns],
          rows.map(({ title, cells }) => [title, ...cells].map(plain)),
        ),
      ];
    }),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function networkBlocks(analysis) {
  if (analysis.networkCosts.length === 0) return [];
  return [
    `## ${networkHeading(analysis.networkCosts)}`,
    plain(networkNote(analysis.networkCosts)),
    ...analysis.networkCosts.flatMap((cost) => {
      const { columns, rows } = networkTable(analysis, cost);
      return [
        `### ${plain(networkTitle(analysis, cost))}`,
        table(
          ["Proxy", ...columns],
          rows.map(({ title, cells }) => [title, ...cells].map(plain)),
        ),
      ];
    }),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]}
 */
function slopeBlocks(analysis) {
  const { results, slopes } = analysis;
  if (slopes.length === 0) return [];
  const all = looks(results);
  const titleOf = (/** @type {string} */ name) => titleOfProxy(results, name);
  const text = (/** @type {SlopeEntry} */ { text, detail, rank }) =>
    `${text}${detail && ` (${detail})`}${rank ? `, rank ${rank}` : ""}`;
  return [
    "## Memory over held connections",
    ...slopes.flatMap((one) => {
      const { columns, rows } = slopeTable(analysis, one);
      return [
        `### ${plain(slopesTitle(one, slopes))}`,
        table(
          ["Proxy", ...columns.map(({ title, unit }) => (unit ? `${title}, ${unit}` : title))],
          rows.map(({ proxy, isControl, entries }) => [
            isControl ? `*${plain(all[proxy].label)}, its echo server*` : plain(all[proxy].label),
            ...entries.map((entry) => plain(text(entry))),
          ]),
          ["---", ...columns.map(() => "--:")],
        ),
        one.unranked ? `- ${plain(findingText(one.unranked, titleOf))}.` : "",
      ];
    }),
    plain(buffersNote(analysis)),
  ];
}

/** @param {Analysis} analysis */
function courseBlocks(analysis) {
  if (analysis.courses.length === 0) return [];
  return [
    "## Over time",
    COURSE_NOTE,
    ...analysis.courses.flatMap((course) => [
      `### ${plain(courseTitle(analysis, course))}`,
      plain(courseText(analysis, course)),
      table(
        ["Proxy", ...COURSE_COLUMNS],
        courseRows(analysis, course).map(({ title, cells }) => [title, ...cells].map(plain)),
      ),
    ]),
  ];
}

/** @param {Analysis} analysis */
function badAnswerBlocks(analysis) {
  const texts = badAnswerTexts(analysis);
  if (texts.length === 0) return [];
  const lines = texts.flatMap(({ what, isMany, details, causes }) => [
    `- ${isMany ? `**${plain(what)}**` : plain(what)}. ${details.map((detail) => `${plain(detail)}.`).join(" ")}`,
    ...causes.map(({ line, explanation }) =>
      explanation
        ? `  - ${plain(line)}. Usual cause: ${plain(explanation)}.`
        : `  - ${plain(line)}`,
    ),
  ]);
  return [
    "## Failed requests",
    "Requests per second count successful requests only; a proxy with many failed ones ranks last.",
    lines.join("\n"),
  ];
}

/**
 * @param {Analysis} analysis
 * @param {Setting} setting
 */
function settingBlocks(analysis, setting) {
  const { columns, rows, reasons, legend } = mainTable(analysis, setting);
  return [
    `### ${plain(settingTitle(setting, analysis.settings))}`,
    table(
      ["Proxy", ...columns.map(columnTitle)],
      rows.map(({ look, isControl, entries }) => [
        isControl ? `*${plain(look.label)} (control)*` : plain(look.label),
        ...entries.map(entryText),
      ]),
      ["---", ...columns.map(() => "--:")],
    ),
    plain(legend) + reasons.map((reason) => `\\\n${NONE}: ${plain(reason)}`).join(""),
    settingFindings(analysis, setting, columns)
      .map((finding) => `- ${finding.severity}: ${plain(findingSentence(finding))}`)
      .join("\n"),
  ];
}

/** @param {Column} column */
function columnTitle({ measure, unit, relativeTo, queue }) {
  return plain(
    [measure.title, unit, queue && "time in the queue", relativeTo && `× ${relativeTo}`]
      .filter(Boolean)
      .join(", "),
  );
}

/** @param {Entry} entry */
function entryText({ median, spread, p99, ratio, rank, mark, missing }) {
  if (missing !== null) return NONE;
  const value = /^1( =)?$/.test(rank) ? `**${median}**` : median;
  return [`${value} (${spread})`, ratio, rank && `rank ${rank}`, p99, mark && `**${mark}**`]
    .filter(Boolean)
    .join(", ");
}

/** @param {string} text */
function shortened(text) {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** @param {string} text */
function fenced(text) {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}sh\n${text}\n${fence}`;
}
