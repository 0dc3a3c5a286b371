/** What `bisect` says, of each version and at its end. */
import { counted, number, times } from "../numbers.ts";
import type { Found, Judged, Ratio } from "../statistics/index.ts";

const VERDICTS: Record<Judged["verdict"], string> = {
  more: "costs more",
  equal: "equal",
  open: "could not tell",
  unable: "cannot be measured",
};

/**
 * @param left how many may still be the first
 * @returns `3.5.2    1.08 times 3.3.5 (1.06–1.10), 4 rounds: costs more, 5 left`
 */
export function bisectLine(
  { version, verdict, rounds, ratio }: Judged,
  left: number,
  first: string,
): string {
  const name = version.padEnd(10);
  if (verdict === "unable") return `${name}${VERDICTS.unable}`;
  if (version === first) return `${name}beside itself, ${counted(rounds, "round")}`;
  const figures = ratio ? `${ratioText(ratio, first)}, ` : "";
  const rest = left > 1 ? `, ${left} left` : "";
  return `${name}${figures}${counted(rounds, "round")}: ${VERDICTS[verdict]}${rest}`;
}

/** @param about title: of the proxy */
export function bisectVerdict(
  found: Found,
  first: string,
  { title, threshold, rounds, measure, wss }: About,
): string {
  const { outcome, at, between, step, judged, spreadPercent, roundsNeeded } = found;
  const [low, high] = between;
  const percent = `${number(100 * threshold)} %`;
  const what = `${measure === "cpu-per-connection" ? "CPU per connection" : "CPU per connection with 50 messages"}${wss ? " over TLS" : ""}`;
  const last = judged.findLast(({ version }) => version === low)?.ratio;
  const left = judged.filter(({ verdict }) => verdict === "unable").map(({ version }) => version);
  const without = left.length > 0 ? ` Without ${left.join(", ")}, which cannot be measured.` : "";
  if (outcome === "found" && at !== null)
    return `${title} ${at} is the first that costs more than ${first}, ${what}${step ? `: ${ratioText(step, low)}` : ""}.${without}`;
  if (outcome === "none")
    return `No release up to ${title} ${low} costs ${percent} more than ${first}, ${what}${last ? `: ${ratioText(last, first)}` : ""}.${without}`;
  if (outcome === "unable")
    return at === null
      ? `Could not tell: no version but ${title} ${low} can be measured.`
      : `Could not tell: ${title} ${at} cannot be measured. Choose another --from.`;
  const varies = `a round varies by ${number(spreadPercent)} %`;
  const next =
    roundsNeeded > rounds
      ? `${varies}, and ${percent} takes ${number(roundsNeeded)} rounds. Try --rounds ${roundsNeeded}, or a larger --threshold.`
      : `it is neither equal nor ${percent} more, and ${varies}. Try another --threshold.`;
  const where = high
    ? ` The first that costs more is after ${low}, and ${high} at the latest.`
    : "";
  const couldNot = at === null ? "Could not tell" : `Could not judge ${title} ${at}`;
  return `${couldNot}: ${next}${where}${without}`;
}

interface About {
  title: string;
  /** share */
  threshold: number;
  rounds: number;
  measure: string;
  wss: boolean;
}

function ratioText({ value, interval }: Ratio, to: string): string {
  const ends = interval ? ` (${times(interval[0])}–${times(interval[1])})` : "";
  return `${times(value)} times ${to}${ends}`;
}
