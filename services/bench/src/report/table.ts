/**
 * The one table that everything here is shown in, and how comparisons become one: a row a proxy, a
 * column a figure.
 */
import type { ExtraColumn } from "../analyse/questions.ts";
import { measureTitle } from "../analyse/questions.ts";
import { measure as measureOf } from "../analyse/measures.ts";
import type { Comparison, Estimate, Figure, Measure } from "../model/comparison.ts";
import { figure as numberText, NONE, number, probability, times } from "../numbers.ts";
import type { Named, Scale } from "./text.ts";
import {
  addedText,
  amount,
  amountOf,
  BASES,
  isBest,
  isSkipped,
  isSpan,
  isUnplaced,
  loadOf,
  loopText,
  missingText,
  MISSING_SHORT,
  scaleOf,
  titleOfProxy,
} from "./text.ts";

export interface Column {
  title: string;
  small?: string;
  /** Words: they stand at the left. */
  words?: boolean;
}

export interface Cell {
  text: string;
  small?: string;
  /** The best, or tied for best. */
  best?: boolean;
  /** Of what an event does: surely worse than another. */
  worse?: boolean;
  /** Of the first of a row: what it is about; the control is grey. */
  proxy?: string;
  control?: boolean;
}

export interface Table {
  title: string;
  note: string;
  head: Column[];
  rows: Cell[][];
  footnotes?: string[];
}

/** Reasons, each once, and the sign that a cell refers to them by. */
class Footnotes {
  readonly texts: string[] = [];

  signOf(text: string): string {
    if (!this.texts.includes(text)) this.texts.push(text);
    return superscript(this.texts.indexOf(text) + 1);
  }

  lines(): string[] {
    return this.texts.map((text, i) => `${superscript(i + 1)} ${text}`);
  }
}

function superscript(n: number): string {
  return String(n).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
}

/** One column of figures. */
interface FigureColumn {
  comparison: Comparison;
  title: string;
  where?: string;
  /** What stands beside each figure; without, the figure alone. */
  extras?: ExtraColumn[];
  /** The figure is in another table. */
  extrasOnly?: boolean;
}

interface Options {
  title?: string;
  /** In the first table of a report: a unit at each figure, no interval, and no control. */
  short?: boolean;
}

export function figuresTable(named: Named, columns: FigureColumn[], options: Options = {}): Table {
  const footnotes = new Footnotes();
  const made = columns.flatMap((column) => [
    ...(column.extrasOnly ? [] : [figureColumn(named, column, footnotes, options)]),
    ...extraColumns(named, column),
  ]);
  const shown = columns.map(({ comparison }) => comparison);
  const names = orderOf(named, shown).filter(
    (name) => !options.short || roleOf(shown, name) === "proxy",
  );
  const rows = names.flatMap((name) => {
    const isControl = roleOf(shown, name) === "control";
    const first = { text: titleOfProxy(named, name), proxy: name, control: isControl };
    const cells = made.map(({ cell }) => cell(name));
    // A control that the test leaves out is no row of dashes.
    return isControl && cells.every(({ text }) => text === NONE) ? [] : [[first, ...cells]];
  });
  return {
    title: options.title ?? "",
    note: noteOf(columns, options),
    head: [{ title: "Proxy", words: true }, ...made.map(({ head }) => head)],
    rows,
    footnotes: footnotes.lines(),
  };
}

/**
 * Names of the proxies, the best of the first column first; behind them those ranked last for their
 * errors, those without a figure, and the control. Releases stay in their order.
 */
export function orderOf({ proxies }: Pick<Named, "proxies">, comparisons: Comparison[]): string[] {
  const places = comparisons.map(({ figures, measure }) => {
    const sign = measure.better === "lower" ? 1 : -1;
    const isLast = ({ rank, toBest }: Figure) => Number(rank !== null && rank > 1 && !toBest);
    const told = figures.filter(({ estimate }) => estimate);
    const ordered = told.some(({ extra: { before } }) => before)
      ? told
      : told.sort(
          (a, b) =>
            isLast(a) - isLast(b) || sign * ((a.estimate?.value ?? 0) - (b.estimate?.value ?? 0)),
        );
    return new Map(ordered.map(({ proxy }, i) => [proxy, i]));
  });
  const known = comparisons.flatMap(({ figures }) => figures.map(({ proxy }) => proxy));
  const planned = proxies.map(({ name }) => name);
  const place = (name: string) => places.find((one) => one.has(name))?.get(name) ?? planned.length;
  return [...new Set([...planned, ...known])]
    .filter((name) => known.includes(name))
    .sort((a, b) => {
      const [first, second] = [a, b].map((name) => Number(roleOf(comparisons, name) === "control"));
      return first - second || place(a) - place(b);
    });
}

function roleOf(comparisons: Comparison[], name: string): Figure["role"] | undefined {
  return comparisons.flatMap(({ figures }) => figures).find(({ proxy }) => proxy === name)?.role;
}

interface MadeColumn {
  head: Column;
  cell(name: string): Cell;
}

function figureColumn(
  named: Named,
  { comparison, title, where }: FigureColumn,
  footnotes: Footnotes,
  { short }: Options,
): MadeColumn {
  const load = short && comparison.load ? loopText(comparison.load) : loadOf(comparison);
  const { measure, figures } = comparison;
  const values = figures.flatMap(({ estimate }) => estimate?.value ?? []);
  const scale = scaleOf(measure, values);
  const unit = short ? "" : scale.unit;
  return {
    head: {
      title,
      small: [where, unit, load].filter(Boolean).join(", "),
    },
    cell(name) {
      const one = figures.find(({ proxy }) => proxy === name);
      if (!one) return { text: NONE };
      if (!one.estimate) return missingCell(named, one, footnotes);
      if (one.estimate.basis === "exact") return { text: ofText(one), small: endsText(one, scale) };
      const text = short ? amountOf(one.estimate, measure) : scale.of(one.estimate);
      const worse = isSurelyWorse(one, comparison);
      if (isSpan(one.estimate)) return { text, worse };
      const small = [
        !short && endsText(one, scale),
        ratioText(one, measure),
        isUnplaced(one, figures) ? TOO_NOISY : !short && rankOf(one),
        known(one.extra.upTo, (most) => `to ${number(most)}`),
      ];
      return { text, small: small.filter(Boolean).join(" "), best: isBest(one, figures), worse };
    },
  };
}

const TOO_NOISY = "too noisy to rank";

/** More is lost than through another proxy, and by more than the events of one differ. */
function isSurelyWorse(one: Figure, { event, measure, figures }: Comparison): boolean {
  const isOfLosses = event !== null && ["share", "count"].includes(measure.kind);
  if (!isOfLosses || one.role !== "proxy") return false;
  const sign = measure.better === "lower" ? 1 : -1;
  const ends = ({ value, low, high }: Estimate) =>
    [sign * (low ?? value), sign * (high ?? value)].sort((a, b) => a - b);
  const others = figures.filter(({ role }) => role === "proxy");
  const estimate = one.estimate;
  return (
    estimate !== null &&
    others.some((other) => other.estimate && ends(other.estimate)[1] < ends(estimate)[0])
  );
}

/** `10 of 10` */
function ofText({ extra: { count, of } }: Figure): string {
  return count === undefined || of === undefined ? "" : `${number(count)} of ${number(of)}`;
}

function missingCell(named: Named, one: Figure, footnotes: Footnotes): Cell {
  const { figure, why } = missingWords(named, one);
  return { text: why ? `${figure} ${footnotes.signOf(why)}` : figure };
}

function missingWords(named: Named, { role, missing, extra }: Figure) {
  // Where its test leaves the control out, nobody misses it.
  if (missing.length === 0 && extra.outcome)
    return { figure: OUTCOMES[extra.outcome] ?? extra.outcome };
  if (missing.length === 0 || (role === "control" && isSkipped(missing[0])))
    return { figure: NONE };
  const why = missing.map((one) => missingText(one, (name) => titleOfProxy(named, name)));
  return {
    figure: isSkipped(missing[0]) ? MISSING_SHORT.skipped : MISSING_SHORT[missing[0].kind],
    why: [...new Set(why)].join("; "),
  };
}

/** What a table says of each figure of a comparison, for one who has it not in a table. */
export function figureWords(named: Named, { measure, figures }: Comparison) {
  const values = figures.flatMap(({ estimate }) => estimate?.value ?? []);
  const scale = scaleOf(measure, values);
  return (one: Figure): { figure: string; interval?: string; why?: string } => {
    const { estimate } = one;
    if (!estimate) return missingWords(named, one);
    const interval = isSpan(estimate) ? "" : endsText(one, scale).replace(/^\((.*)\)$/, "$1");
    const figure = estimate.basis === "exact" ? ofText(one) : scale.of(estimate);
    const unit = estimate.basis === "exact" ? "" : scale.unit;
    return { figure: unit ? `${figure} ${unit}` : figure, ...(interval && { interval }) };
  };
}

function endsText({ estimate }: Figure, scale: Scale): string {
  if (!estimate || estimate.basis === "bracket") return "";
  if (estimate.low === estimate.value && estimate.high === estimate.value) return "";
  const ends = scale.ends(estimate);
  const text = scale.text(estimate.value);
  return ends && ends !== `${text}–${text}` ? `(${ends})` : "";
}

/** Of a time that is mostly the control's, what a proxy adds says more than a ratio. */
function ratioText({ toBest, role, extra: { added } }: Figure, measure: Measure): string {
  if (added) return `(adds ${addedText(added, measure)})`;
  return toBest && role === "proxy" && toBest.value !== 1 ? `${times(toBest.value)}×` : "";
}

function rankOf({ rank }: Figure): string {
  return rank === null || rank === 1 ? "" : `#${rank}`;
}

/** What brackets hold where it is not the 95 % interval, and which differences may be missed. */
function noteOf(columns: FigureColumn[], { short }: Options): string {
  const comparisons = columns.flatMap(({ comparison, extrasOnly }) =>
    extrasOnly ? [] : comparison,
  );
  const bases = new Set(
    comparisons.flatMap(({ figures }) =>
      figures.flatMap(({ estimate }) =>
        estimate &&
        estimate.basis !== "bracket" &&
        estimate.low !== null &&
        estimate.high !== estimate.low
          ? BASES[estimate.basis]
          : [],
      ),
    ),
  );
  const orElse = bases.has(BASES.ci95) ? `${BASES.ci95}, or else ` : "";
  const hasBrackets = comparisons.some(({ figures }) =>
    figures.some(
      ({ role, estimate }) => estimate?.basis === "bracket" && !(short && role === "control"),
    ),
  );
  const seen = comparisons.flatMap(({ detectable }) => detectable ?? []);
  return [
    !short && bases.has(BASES.range) && `In brackets: ${orElse}${BASES.range}.`,
    bases.has(BASES.events) && `From – to: ${BASES.events}.`,
    hasBrackets && `A range is a ${BASES.bracket}, and ranks nobody.`,
    !short &&
      seen.length > 0 &&
      `These rounds may miss differences below ${[...new Set(seen.map((one) => `${times(one)}×`))].join(", ")}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

type ExtraText = {
  title: string;
  words?: boolean;
  text: (figure: Figure, comparison: Comparison, named: Named) => string;
};

const OUTCOMES: Record<string, string> = {
  "not-again": "not in the time watched",
  gone: "all ended",
  stayed: "some stayed",
  leaked: "leaked",
  differs: "differs",
  tie: "no difference",
  "held-back": "yes",
  unbounded: "no: the proxy buffers",
  elsewhere: "no: buffered elsewhere",
};

function outcomeText({ extra: { outcome = "" } }: Figure): string {
  return OUTCOMES[outcome] ?? outcome;
}

function causesText({ extra: { causes = [] } }: Figure): string {
  const shown = causes.slice(0, 3).map(({ what, count }) => `${what}: ${number(count)}`);
  return [...shown, ...(causes.length > 3 ? [`${causes.length - 3} more`] : [])].join("; ");
}

const ofBytes = { unit: "bytes" };
const known = <T>(value: T | null | undefined, text: (value: T) => string) =>
  value === null || value === undefined ? "" : text(value);

function spanText({ from = null, to = null }: Figure["extra"], measure: { unit: string }): string {
  return from === null || to === null ? "" : `${amount(from, measure)} – ${amount(to, measure)}`;
}

const EXTRAS: Record<ExtraColumn, ExtraText[]> = {
  control: [
    {
      title: "To the control",
      text: ({ toControl }) => known(toControl?.value, (value) => `${times(value)}×`),
    },
  ],
  places: [
    {
      title: "CPU by container, s",
      words: true,
      text: ({ extra: { places = [] } }) =>
        places.map(({ service, seconds }) => `${service} ${numberText(seconds)}`).join(" + "),
    },
  ],
  samples: [{ title: "Samples", text: ({ extra: { samples } }) => known(samples, number) }],
  added: [
    {
      title: "Added to the control",
      text: ({ extra: { added } }, { measure }) =>
        known(added?.value, (value) => amount(value, measure)) +
        known(added, (one) => ` (${scaleOf(measure, [one.value]).ends(one)})`),
    },
  ],
  baseline: [
    {
      title: "Before the load",
      text: ({ extra: { baseline } }) => known(baseline?.value, (value) => amount(value, ofBytes)),
    },
  ],
  before: [
    {
      title: "Compared with",
      words: true,
      text: ({ extra: { before } }, _, named) => known(before, (name) => titleOfProxy(named, name)),
    },
  ],
  ended: [
    {
      title: "Ended at",
      words: true,
      text: ({ extra: { ended } }, _, named) =>
        ended
          ? `${number(ended.connections)} connections (${number(ended.next)}: ${missingText(ended.why, (name) => titleOfProxy(named, name))})`
          : "",
    },
  ],
  fromTo: [
    {
      title: "From – to",
      text: ({ extra }, { measure }) => spanText(extra, measure),
    },
  ],
  grows: [
    {
      title: "Grows",
      text: ({ extra: { grows = null, hours = 0 } }) =>
        grows === null ? "" : `${grows ? "yes" : "no"} (${+hours.toFixed(1)} h)`,
    },
  ],
  medians: [
    {
      title: "Medians",
      text: ({ extra: { medians } }, { measure }) =>
        medians ? medians.map((value) => amount(value, measureOf(measure.key))).join(" / ") : "",
    },
  ],
  search: [
    { title: "Per core", text: ({ extra: { search } }) => known(search?.perCore, numberText) },
    {
      title: "Broke first",
      words: true,
      text: ({ extra: { search } }) => search?.brokeFirst.join(", ") ?? "",
    },
    {
      title: "Fresh cells",
      words: true,
      text: ({ extra: { search } }) => {
        if (!search) return "";
        const { tried, agreeing, contradicting } = search.fresh;
        return tried === 0
          ? "none"
          : `of ${tried} ${agreeing} agree, ${contradicting} contradict the search`;
      },
    },
    {
      title: "CPU budget used",
      text: ({ extra: { search } }) =>
        known(search?.budgetPercent, (value) => `${number(value)} %`),
    },
    {
      title: "Generator",
      text: ({ extra: { search } }) =>
        known(search?.generatorPercent, (value) => `${number(value)} %`),
    },
  ],
  counted: [
    {
      title: "Count",
      text: ofText,
    },
  ],
  steps: [
    {
      title: "What was done",
      words: true,
      text: ({ extra: { steps = [] } }) => {
        const shown = steps
          .slice(0, 3)
          .map(({ seconds, what }) => `${seconds.toFixed(1)} s: ${what}`);
        return [...shown, ...(steps.length > 3 ? [`${steps.length - 3} more`] : [])].join("; ");
      },
    },
  ],
  causes: [{ title: "How", words: true, text: causesText }],
  "slow-reader": [
    { title: "Sender held back", words: true, text: outcomeText },
    {
      title: "Sent by each",
      text: ({ extra }) => spanText(extra, ofBytes),
    },
    { title: "How they ended", words: true, text: causesText },
  ],
};

/** Without those that say nothing of any proxy. */
function extraColumns(named: Named, { comparison, extras }: FigureColumn): MadeColumn[] {
  if (!extras) return [];
  return extras
    .flatMap((name) => EXTRAS[name])
    .flatMap(({ title, words, text }) => {
      const texts = new Map(
        comparison.figures.map((one) => [one.proxy, text(one, comparison, named)]),
      );
      const differing = [...texts.values()].filter(Boolean);
      if (differing.length === 0) return [];
      return [
        { head: { title, words }, cell: (name: string) => ({ text: texts.get(name) || NONE }) },
      ];
    });
}

/** Of two that should be alike: a row a comparison, which has one figure. */
export function noiseTable(comparisons: Comparison[], where: (one: Comparison) => string): Table {
  return {
    title: "",
    note: "",
    head: [
      ...["Of", "Measure"].map((title) => ({ title, words: true })),
      ...["Ratio", "Interval", "Medians"].map((title) => ({ title })),
      { title: "Outcome", words: true },
      ...["p", "Detectable"].map((title) => ({ title })),
    ],
    rows: comparisons.flatMap((one) =>
      one.figures.map((figure) => {
        const { estimate, extra } = figure;
        const scale = scaleOf(one.measure, []);
        const medians = (extra.medians ?? []).map((value) =>
          amount(value, measureOf(one.measure.key)),
        );
        const texts = [
          where(one),
          [measureTitle(one.measure), loadOf(one)].filter(Boolean).join(", "),
          known(estimate?.value, scale.text),
          estimate ? scale.ends(estimate) : "",
          medians.join(" / "),
          outcomeText(figure),
          known(extra.p, probability),
          known(one.detectable, (value) => `${times(value)}×`),
        ];
        return texts.map((text) => ({ text: text || NONE }));
      }),
    ),
  };
}
