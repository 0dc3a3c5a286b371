/** What a load costs, and how far predictions of it were from what was measured, as tables. */
import { accuracyOf, GOAL_PERCENT } from "../analyse/cost-check.ts";
import type { Checked, CheckedMix } from "../analyse/cost-check.ts";
import { costsOf, outsideOf } from "../analyse/cost-model.ts";
import type { CostModel, Load } from "../analyse/cost-model.ts";
import type { Estimate } from "../model/comparison.ts";
import { counted, figure, NONE, number, range } from "../numbers.ts";
import type { Cell, Column, Table } from "./table.ts";

const GIB = 2 ** 30;

const words = (title: string): Column => ({ title, words: true });
const figures = (...titles: string[]): Column[] => titles.map((title) => ({ title }));
const cells = (...texts: string[]): Cell[] => texts.map((text) => ({ text }));

/** `20,000 connections held, 330 messages/s of 512 bytes, 5 new connections/s, TLS` */
function costLoadText({ scheme, ...load }: Load): string {
  const { connections, messagesPerSecond, messageBytes, newPerSecond } = load;
  const bytes = `of ${counted(messageBytes, "byte")}`;
  return [
    `${counted(connections, "connection")} held`,
    messagesPerSecond > 0 && `${number(messagesPerSecond)} messages/s ${bytes}`,
    newPerSecond > 0 && `${counted(newPerSecond, "new connection")}/s`,
    scheme === "wss" && "TLS",
  ]
    .filter(Boolean)
    .join(", ");
}

const OUTSIDE = {
  connections: "connections: measured up to",
  messagesPerSecond: "messages/s: measured up to",
  messageBytes: "bytes per message: measured up to",
  newPerSecond: "new connections/s: measured up to",
  leastPerSecond: "messages and new connections/s: measured from",
};

/**
 * The cheapest first.
 *
 * @param speed of the machine, to that of the model's
 */
export function costTable(model: CostModel, load: Load, speed = 1): Table {
  const costs = costsOf(model, load, speed).toSorted(
    (a, b) => (a.cores?.value ?? Infinity) - (b.cores?.value ?? Infinity),
  );
  const outside = outsideOf(model, load).map(
    ({ what, limit }) => `${OUTSIDE[what]} ${number(limit)}`,
  );
  return {
    title: costLoadText(load),
    note: outside.length > 0 ? `Extrapolated beyond what was measured. ${outside.join("; ")}.` : "",
    head: [
      words("Proxy"),
      ...figures("CPU, cores", "95 % interval", "Memory, GiB", "95 % interval"),
    ],
    rows: costs.map(({ title, cores, bytes }) =>
      cells(title, ...withInterval(cores, 1), ...withInterval(bytes, GIB)),
    ),
  };
}

function withInterval(estimate: Estimate | null, divisor: number): [string, string] {
  if (!estimate) return [NONE, NONE];
  const { value, low, high } = estimate;
  const ends = low === null || high === null ? null : ([low / divisor, high / divisor] as const);
  return [figure(value / divisor), range(ends && [...ends], value / divisor)];
}

/** How often the model was right, by proxy. */
export function accuracyTable(mixes: CheckedMix[]): Table {
  const hits = ({ within, of, medianPercent }: ReturnType<typeof accuracyOf>[0]["cores"]) => [
    of > 0 ? `${within} of ${of}` : NONE,
    medianPercent === null ? NONE : `${figure(medianPercent)} %`,
  ];
  const within = `within ${GOAL_PERCENT} %`;
  return {
    title: "Predictions against measurements",
    note: "",
    head: [
      words("Proxy"),
      ...figures(`CPU ${within}`, "median error", `Memory ${within}`, "median error"),
    ],
    rows: accuracyOf(mixes).map(({ title, cores, bytes }) =>
      cells(title, ...hits(cores), ...hits(bytes)),
    ),
  };
}

/** Of one mix, every proxy: what was predicted, what was measured. */
export function mixTable({ load, proxies }: CheckedMix): Table {
  const told = (one: Checked | null, divisor: number) =>
    one
      ? [
          ...withInterval(one.predicted, divisor),
          figure(one.measured / divisor),
          `${one.errorPercent > 0 ? "+" : ""}${figure(one.errorPercent)} %`,
        ]
      : [NONE, NONE, NONE, NONE];
  const columns = ["95 % interval", "measured", "error"];
  return {
    title: costLoadText(load),
    note: "",
    head: [words("Proxy"), ...figures("Cores, predicted", ...columns, "MB, predicted", ...columns)],
    rows: proxies.map(({ title, cores, bytes }) =>
      cells(title, ...told(cores, 1), ...told(bytes, 1e6)),
    ),
  };
}
