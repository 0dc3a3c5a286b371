/**
 * The highest rate that keeps a promise, found as nighthawk's adaptive load controller does (envoyproxy/nighthawk,
 * docs/root/adaptive_load_controller.md): doubling until a rate fails, then bisection. Nothing here knows what the promise is.
 *
 * @typedef {"holds" | "fails" | "limited"} Verdict holds: the promise was kept; fails: what is measured broke it; limited: it was broken, but
 *   what measures was at its limit first, so it says nothing about what is measured
 *
 * @typedef {object} Try
 * @property {number} rate a second
 * @property {Verdict} verdict
 *
 * @typedef {object} SearchRange
 * @property {number} from the first rate
 * @property {number} lowest below this nothing is tried
 * @property {number} highest above this nothing is tried
 * @property {number} [resolution] a bracket narrower than this is not divided any further; default: `RESOLUTION`
 *
 * @typedef {object} Bracket where the search stands
 * @property {number | null} holds the highest rate that held; null: none did
 * @property {number | null} above the lowest rate above it that did not hold; null: all that were tried held
 * @property {boolean} isLimited the rate above did not fail, it was `limited`
 *
 * @typedef {object} Capacity
 * @property {"confirmed" | "range" | "at-least" | "below" | "unknown"} kind confirmed: `low` held and 10 % above failed in all fresh cells;
 *   range: it is between `low` and `high`; at-least: no rate above `low` failed; below: `high` failed, and nothing below it held; unknown:
 *   nothing held and nothing failed
 * @property {number | null} low the highest rate up to which every try held; null: none did
 * @property {number | null} high the lowest rate from which on every try failed; null: none did
 * @property {boolean} isLimited of at-least: what measures was at its limit above `low`
 */

/** A tenth of the rate has to be told apart (`aboveOf`). */
export const RESOLUTION = 0.05;

/**
 * @param {number} resolution of a search
 * @returns {number} the rate that has to fail, over the one that has to hold: beyond all that the search left open, and as much again
 */
export function aboveOf(resolution) {
  return 1 + 2 * resolution;
}

/**
 * @template {Try} T
 * @param {(rate: number) => Promise<T>} probe
 * @param {SearchRange} range
 * @param {readonly T[]} [before] tries of an earlier part of the same search
 * @returns {Promise<T[]>} all tries, in their order
 */
export async function searchCapacity(probe, range, before = []) {
  const tries = [...before];
  for (let rate; (rate = nextRate(tries, range)) !== null;) tries.push(await probe(rate));
  return tries;
}

/**
 * A failure that ends the doubling is tried once more: a disturbance there would halve the answer. In the bisection it costs a twentieth,
 * and the fresh cells show it. What measures being at its limit is tried once more anywhere.
 *
 * @param {readonly Try[]} tries so far, in their order
 * @param {SearchRange} range
 * @returns {number | null} the rate to try next; null: the search has ended
 */
export function nextRate(tries, { from, lowest, highest, resolution = RESOLUTION }) {
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

/**
 * @param {readonly Try[]} tries in their order: of one rate the last counts
 * @returns {Bracket}
 */
export function bracketOf(tries) {
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
 * @param {readonly Try[]} searched tries of the search, in their order
 * @param {{at: readonly Try[], above: readonly Try[]}} fresh cells at the rate found, and above it
 * @param {number} required fresh cells of each kind
 * @returns {Capacity}
 */
export function capacityOf(searched, { at, above }, required) {
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

/**
 * @param {readonly Try[]} tries
 * @param {Verdict} verdict
 * @param {number} required
 */
function isAll(tries, verdict, required) {
  return tries.length >= required && tries.every((each) => each.verdict === verdict);
}

/** @param {Try[]} tries */
function lowest(tries) {
  return tries.reduce(
    (/** @type {Try | undefined} */ least, each) =>
      least === undefined || each.rate < least.rate ? each : least,
    undefined,
  );
}

/** @param {number} rate @returns {number} to three significant digits: finer ones are below the resolution */
export function rounded(rate) {
  return Number(rate.toPrecision(3));
}

/** @param {number} value */
function finite(value) {
  return Number.isFinite(value) ? value : null;
}
