/**
 * What clients cost that stop reading.
 */
import type { Comparison, Estimate, Extra, JudgedCell } from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Results } from "../model/record.ts";
import { medianOf } from "../statistics/index.ts";
import { medianAndRange, mostFirst, ownMeasure } from "./figures.ts";
import { compare, countedOf, settingsComparing, sum } from "./happenings.ts";
import type { Row } from "./happenings.ts";
import { perStalled } from "./readings.ts";

/** A proxy that has so much of what was sent for a slow reader is where it went. */
const MOST_OF_IT = 0.5;

type Slow = NonNullable<JudgedCell["record"]["slowReaders"]> & { cell: JudgedCell };

/**
 * What a client costs that stops reading while the server keeps sending to it. The first half of
 * the phase, in which all read, is the control of the second.
 */
export function slowReaders(results: Results, cells: JudgedCell[]): Comparison[] {
  return settingsComparing(results, "stalls").flatMap((setting) => {
    const [first, ...others] = compare(SLOW_ROWS, {
      results,
      cells,
      setting,
      seenIn: (cell) => (cell.record.slowReaders ? [{ cell, ...cell.record.slowReaders }] : []),
    });
    const control = first.figures.find(({ role }) => role === "control");
    const tookAll = control?.extra.outcome !== undefined && control.extra.outcome !== "held-back";
    if (tookAll) first.flags.push(flag("control-took-all", "weak", {}));
    const wrong = countedOf(cells, setting.planned)
      .filter(({ record }) => record.slowReaders?.deliveredInOrder === false)
      .map(({ record }) => record.proxy);
    const proxies = [...new Set(wrong)];
    if (proxies.length > 0) first.flags.push(flag("out-of-order", "weak", { proxies }));
    return [first, ...others];
  });
}

const SLOW_ROWS: Row<Slow>[] = [
  ...(
    [
      ["stalled_bytes", "Memory per slow reader", "usageBytes"],
      ["stalled_user_bytes", "Anonymous memory per slow reader", "rssBytes"],
      ["stalled_kernel_bytes", "Kernel memory per slow reader", "kernelBytes"],
      ["stalled_socket_bytes", "Socket memory per slow reader", "socketBytes"],
    ] as const
  ).map(([key, title, kind]): Row<Slow> => ({
    question: "slow-readers",
    measure: ownMeasure(key, title, "bytes", "memory"),
    of: (all) => {
      const own = medianAndRange(
        all.map(({ cell: { record, workload } }) => perStalled(record, workload.stalled, kind)),
      );
      return kind === "usageBytes" ? { ...own, extra: boundOf(all, own.estimate) } : own;
    },
  })),
  ...(
    [
      ["echo_p99_before", "Echo p99 of the others before", "quiet"],
      ["echo_p99_beside", "Echo p99 of the others beside slow readers", "stalled"],
    ] as const
  ).map(([key, title, part]): Row<Slow> => ({
    question: "slow-readers",
    measure: ownMeasure(key, title, "ms", "time"),
    of: (all) => medianAndRange(all.map(({ echoMs }) => echoMs[part]?.p99 ?? null)),
  })),
];

/**
 * held-back: the sender was, in each repetition. Otherwise it was not, up to what was sent:
 * unbounded: most of that is in the proxy; elsewhere: it is not.
 */
function boundOf(all: Slow[], memory: Estimate | null): Extra {
  const sent = medianOf(all.map(({ sentBytes }) => sentBytes.median)) ?? 0;
  return {
    outcome: all.every(({ heldBack }) => heldBack)
      ? "held-back"
      : (memory?.value ?? 0) >= MOST_OF_IT * sent
        ? "unbounded"
        : "elsewhere",
    from: Math.min(...all.map(({ sentBytes }) => sentBytes.min)),
    to: Math.max(...all.map(({ sentBytes }) => sentBytes.max)),
    medians: [sent, sum(all, ({ lostBytes }) => lostBytes)],
    causes: mostFirst(all.map(({ ends }) => ends)),
  };
}
