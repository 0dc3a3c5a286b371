/**
 * The highest rate that keeps a promise, found as nighthawk's adaptive load controller does
 * (envoyproxy/nighthawk, docs/root/adaptive_load_controller.md): doubling until a rate fails, then
 * bisection. Nothing here knows what the promise is.
 */

/**
 * holds: the promise was kept; fails: what is measured broke it; limited: it was broken, but what
 * measures was at its limit first, so it says nothing about what is measured
 */
export type Verdict = "holds" | "fails" | "limited";

export interface Try {
  /** a second */
  rate: number;
  verdict: Verdict;
}

export interface SearchRange {
  /** the first rate */
  from: number;
  /** below this nothing is tried */
  lowest: number;
  /** above this nothing is tried */
  highest: number;
  /** a bracket narrower than this is not divided any further; default: `RESOLUTION` */
  resolution?: number;
}

/** where the search stands */
interface Bracket {
  /** the highest rate that held; null: none did */
  holds: number | null;
  /** the lowest rate above it that did not hold; null: all that were tried held */
  above: number | null;
  /** the rate above did not fail, it was `limited` */
  isLimited: boolean;
}

interface Capacity {
  /**
   * confirmed: `low` held and 10 % above failed in all fresh cells; range: it is between `low`
   * and `high`; at-least: no rate above `low` failed; below: `high` failed, and nothing below
   * it held; unknown: nothing held and nothing failed
   */
  kind: "confirmed" | "range" | "at-least" | "below" | "unknown";
  /** the highest rate up to which every try held; null: none did */
  low: number | null;
  /** the lowest rate from which on every try failed; null: none did */
  high: number | null;
  /** of at-least: what measures was at its limit above `low` */
  isLimited: boolean;
}

/** A tenth of the rate has to be told apart (`aboveOf`). */
export const RESOLUTION = 0.05;

/**
 * @param resolution of a search
 * @returns the rate that has to fail, over the one that has to hold: beyond all that the search
 *   left open, and as much again
 */
export function aboveOf(resolution: number): number {
  return 1 + 2 * resolution;
}

/**
 * @param before tries of an earlier part of the same search
 * @returns all tries, in their order
 */
export async function searchCapacity<T extends Try>(
  probe: (rate: number) => Promise<T>,
  range: SearchRange,
  before: readonly T[] = [],
): Promise<T[]> {
  const tries = [...before];
  for (let rate; (rate = nextRate(tries, range)) !== null;) tries.push(await probe(rate));
  return tries;
}

/**
 * A failure that ends the doubling is tried once more: a disturbance there would halve the answer.
 * In the bisection it costs a twentieth, and the fresh cells show it. What measures being at its
 * limit is tried once more anywhere.
 *
 * @param tries so far, in their order
 * @returns the rate to try next; null: the search has ended
 */
export function nextRate(
  tries: readonly Try[],
  { from, lowest, highest, resolution = RESOLUTION }: SearchRange,
): number | null {
  const last = tries.at(-1);
  if (!last) return rounded(from);
  // What disturbed it may be gone.
  if (last.verdict === "limited" && tries.at(-2)?.rate !== last.rate) return last.rate;
  const { holds, above } = bracketOf(tries);
  if (above === null)
    return last.rate >= highest ? null : Math.min(highest, rounded(2 * last.rate));
  const isDoubling = !tries.some(
    ({ rate, verdict }, i) => verdict !== "holds" && tries[i - 1]?.rate === rate,
  );
  if (isDoubling) return last.rate;
  if (holds === null) return above <= lowest ? null : Math.max(lowest, rounded(above / 2));
  const middle = rounded(Math.sqrt(holds * above));
  // Of rates of a few a second, the next one may be further away.
  return above / holds <= 1 + resolution || middle <= holds || middle >= above ? null : middle;
}

/** @param tries in their order: of one rate the last counts */
export function bracketOf(tries: readonly Try[]): Bracket {
  const last = [...new Map(tries.map((each) => [each.rate, each])).values()];
  const lowestBroken = lowest(last.filter(({ verdict }) => verdict !== "holds"));
  const held = last.filter(
    ({ rate, verdict }) => verdict === "holds" && rate < (lowestBroken?.rate ?? Infinity),
  );
  return {
    holds: held.length > 0 ? Math.max(...held.map(({ rate }) => rate)) : null,
    above: lowestBroken?.rate ?? null,
    isLimited: lowestBroken?.verdict === "limited",
  };
}

/**
 * @param searched tries of the search, in their order
 * @param fresh cells at the rate found, and above it
 * @param required fresh cells of each kind
 */
export function capacityOf(
  searched: readonly Try[],
  { at, above }: { at: readonly Try[]; above: readonly Try[] },
  required: number,
): Capacity {
  const bracket = bracketOf(searched);
  const isConfirmed =
    isAll(at, "holds", required) && isAll(above, "fails", required) && bracket.holds !== null;
  if (isConfirmed)
    return {
      kind: "confirmed",
      low: bracket.holds,
      high: Math.min(
        ...above.map(({ rate }) => rate),
        bracket.isLimited ? Infinity : (bracket.above ?? Infinity),
      ),
      isLimited: false,
    };
  const ofSearch = [...new Map(searched.map((each) => [each.rate, each])).values()];
  const all = [...ofSearch, ...at, ...above];
  const broken = all.filter(({ verdict }) => verdict !== "holds");
  const failed = all.filter(({ verdict }) => verdict === "fails");
  const held = all.filter(({ verdict }) => verdict === "holds");
  const lowestBroken = Math.min(...broken.map(({ rate }) => rate));
  const highestHeld = Math.max(...held.map(({ rate }) => rate));
  const low = finite(
    Math.max(...held.map(({ rate }) => rate).filter((rate) => rate < lowestBroken)),
  );
  const high = finite(
    Math.min(...failed.map(({ rate }) => rate).filter((rate) => rate > highestHeld)),
  );
  const isLimited = broken.length > failed.length && high === null;
  const kind =
    low === null ? (high === null ? "unknown" : "below") : high === null ? "at-least" : "range";
  return { kind, low, high, isLimited };
}

function isAll(tries: readonly Try[], verdict: Verdict, required: number) {
  return tries.length >= required && tries.every((each) => each.verdict === verdict);
}

function lowest(tries: Try[]) {
  return tries.reduce(
    (least: Try | undefined, each) =>
      least === undefined || each.rate < least.rate ? each : least,
    undefined,
  );
}

/** @returns to three significant digits: finer ones are below the resolution */
export function rounded(rate: number): number {
  return Number(rate.toPrecision(3));
}

function finite(value: number) {
  return Number.isFinite(value) ? value : null;
}
