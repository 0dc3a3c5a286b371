/**
 * What the words and measures of the report mean.
 *
 * @import { Analysis } from "../../analyse/types.js"
 * @import { Plan, ScenarioDescription } from "../../model/plan.ts"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { ratio } from "../../numbers.js";
import { html } from "../html.js";
import { list } from "../words.js";

/** @param {Page} page */
export function reading({ analysis }) {
  const { confidence, noiseFloor, aa, measures } = analysis;
  const level = `${Math.round(confidence * 100)} %`;
  const floor = aa
    ? "This is such a run."
    : noiseFloor
      ? `That of run ${noiseFloor.run}, on this environment, stands above the verdicts; of all measures: ${Object.entries(
          noiseFloor.ratios,
        )
          .map(([key, value]) => `${titleOf(analysis, key)} ${ratio(value)}`)
          .join("; ")}.`
      : "There was none on this environment, so the floor is not known. ./bench aa PROXY makes one.";
  /** @type {[string, string][]} */
  const terms = [
    [
      "Handshake",
      "From opening the socket, or at a fixed rate from when that was due, to its open event, seen by the client: TCP, TLS with wss, the HTTP upgrade, and the time in the generator's queue.",
    ],
    [
      "Request",
      "Over HTTP, from the start of a request to the last byte of its answer; where each opens a connection, from the start of that. A request has failed when its answer is neither 2xx nor 3xx, of a wrong length, too late, or missing.",
    ],
    [
      "Echo latency",
      "From sending a message, or at a fixed rate from when that was due, to its echo, which must be the bytes that were sent.",
    ],
    [
      "Control",
      "The same load on the echo server with no proxy between. What a proxy adds is its difference to the control; the control has no rank.",
    ],
    [
      "Round",
      "Every proxy once under every setting, in random order. Rounds follow one another, so that a slow drift of the machine affects all alike.",
    ],
    [
      "Interval",
      `A range that holds the true median in ${level} of such runs. It assumes no distribution. With few rounds there is none; then the lowest and the highest round are shown.`,
    ],
    [
      "Rank",
      "Proxies between which no difference is seen share a rank, shown as 1 =. That is not proof of equality: see the smallest difference that the run could have seen.",
    ],
    [
      "Noise floor",
      `In an A/A run a proxy is compared with a copy of itself, and the two must tie. How far apart they were is the floor: a difference between two proxies that is no larger is noise. ${floor}`,
    ],
    ...loops(analysis.results.plan),
    [
      "Not counted",
      "A failed cell, and one with a finding marked invalid, is shown and enters no figure. Weak: it enters, with reservations.",
    ],
  ];
  return html`<dl>
      ${terms.map(
        ([term, meaning]) =>
          html`<dt>${term}</dt>
            <dd>${meaning}</dd>`,
      )}
    </dl>
    <details>
      <summary>Every measure, and how it is derived</summary>
      <dl>
        ${measures.map(
          ({ title, description, unit, better }) =>
            html`<dt>
                ${title}${unit && `, ${unit === "bytes" ? "MB or kB (10⁶ or 10³ bytes)" : unit}`}
              </dt>
              <dd>${description} ${better === "lower" ? "Lower" : "Higher"} is better.</dd>`,
        )}
      </dl>
    </details>`;
}

/** @type {Record<ScenarioDescription["loop"], [term: string, meaning: string]>} */
const LOOPS = {
  closed: [
    "Closed loop",
    "A fixed number of connections is open at a time, and the next starts when one has closed. A slow proxy gets less load, so latencies are times in the queue at saturation, and not those at a given request rate.",
  ],
  open: [
    "Open loop",
    "Messages, or connections, are due at set times, whatever the proxy does: a slow proxy gets as much load as a fast one. A message's latency counts from when it was due. What began late or not at all is counted, as sends late and sends dropped.",
  ],
};

/**
 * @param {Plan} plan
 * @returns {[string, string][]} the kinds of loop that it has; which scenario is which, where it has both
 */
function loops({ scenarios }) {
  const kinds = /** @type {(keyof typeof LOOPS)[]} */ (["closed", "open"])
    .map((loop) => ({
      loop,
      names: Object.keys(scenarios).filter((name) => scenarios[name].loop === loop),
    }))
    .filter(({ names }) => names.length > 0);
  return kinds.map(({ loop, names }) => {
    const [term, meaning] = LOOPS[loop];
    return [kinds.length > 1 ? `${term}: ${list(names)}` : term, meaning];
  });
}

/**
 * @param {Analysis} analysis
 * @param {string} key
 */
function titleOf({ measures }, key) {
  return measures.find((measure) => measure.key === key)?.title ?? key;
}
