/** The columns in which the cells of a plan stand under each other. */
import { styleText } from "node:util";
import type { CellRecord } from "../model/cell.ts";
import type { LatencySummary } from "../model/load.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import { count } from "../numbers.ts";
import { schemeName, workloadOf } from "../plan/workload.ts";
import { inReadingOrder, parameterText } from "./load-text.ts";

type Named = Pick<PlannedCell, "proxy" | "scenario" | "scheme" | "parameters" | "event">;

/** By the name of the scheme (plan/workload.ts). */
export const SCHEMES: Record<string, string> = {
  ws: "plain",
  wss: "TLS",
  http: "HTTP",
  https: "HTTPS",
};
const MOST_DETAIL = 32;

const COLOURS = { ok: "green", FAILED: "red", skipped: "yellow" } as const;

/** Of one plan. */
export class CellColumns {
  /** Of a title, at most. */
  readonly titleWidth: number;
  #plan: Plan;
  #proxyWidth: number;
  #detailWidth: number;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.titleWidth = Math.max(...plan.cells.map((cell) => this.title(cell).length));
    this.#proxyWidth = Math.max(...plan.proxies.map(({ length }) => length));
    const details = plan.cells.map((cell) => this.detail(cell).length);
    this.#detailWidth = Math.min(MOST_DETAIL, Math.max(...details));
  }

  /** @returns `nginx TLS` */
  title(cell: Named): string {
    return `${cell.proxy} ${this.#scheme(cell)}`;
  }

  /** @returns what sets its load apart here: `2,000 connections`; empty: all are alike */
  detail({ scenario, parameters, event }: Named): string {
    const { cells, scenarios } = this.#plan;
    const alike = cells.filter((cell) => cell.scenario === scenario);
    const varying = Object.keys(parameters).filter((name) =>
      alike.some((cell) => cell.parameters[name] !== parameters[name]),
    );
    return [
      ...(Object.keys(scenarios).length > 1 ? [scenario] : []),
      ...(event ? [event] : []),
      ...inReadingOrder(scenarios[scenario], varying).map((name) =>
        parameterText(scenarios[scenario], name, parameters[name]),
      ),
    ].join(", ");
  }

  /** @returns `nginx          TLS    2,000 connections`, each as wide as in any other line */
  line(cell: Named): string {
    const columns = [
      cell.proxy.padEnd(this.#proxyWidth),
      this.#scheme(cell).padEnd(5),
      cut(this.detail(cell), MOST_DETAIL).padEnd(this.#detailWidth),
    ];
    return columns.filter(Boolean).join("  ");
  }

  #scheme(cell: Named): string {
    return SCHEMES[schemeName({ ...cell, workload: workloadOf(this.#plan, cell) })];
  }
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/**
 * As wide as the longest that is usual, so that what follows is in a column.
 *
 * @param word what it is called here
 */
export function statusText(
  status: keyof typeof COLOURS,
  hasColours: boolean,
  word: string = status,
): string {
  const text = word.padEnd(6);
  return hasColours ? styleText(COLOURS[status], text, { validateStream: false }) : text;
}

/** @returns those that the record has, the ones first that a narrow terminal keeps */
export function figuresOf(record: CellRecord): string[] {
  const { requests, totalSeconds, containers } = record;
  const { handshakeMs, echoLatencyMs, requestMs } = record;
  const proxies = Object.values(containers).filter(({ role }) => role === "proxy");
  const cpuSeconds = proxies.reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  return [
    ...(totalSeconds ? rateOf(record, totalSeconds) : []),
    ...(requests?.non2xx ? [`${count(requests.non2xx)} neither 2xx nor 3xx`] : []),
    ...(proxies.length > 0 ? [`CPU ${cpuSeconds.toFixed(2).padStart(4)} s`] : []),
    ...(handshakeMs ? [`connect ${median(handshakeMs)}`] : []),
    ...(echoLatencyMs ? [`echo ${median(echoLatencyMs)}`] : []),
    ...(requestMs ? [`request ${median(requestMs)}`] : []),
  ];
}

/**
 * @returns `900 req/s`, of held connections `1,500 msg/s`, of others `1,250 conn/s`; none: nothing
 *   is counted
 */
function rateOf(
  { connections, connectionsHeld, messagesEchoed, requests }: CellRecord,
  seconds: number,
): string[] {
  const each = (what: number, unit: string) => [`${count(what / seconds).padStart(5)} ${unit}/s`];
  if (requests) return each(requests.completed, "req");
  if (connectionsHeld) return each(messagesEchoed ?? 0, "msg");
  return connections ? each(connections.opened, "conn") : [];
}

function median({ median: ms }: Pick<LatencySummary, "median">): string {
  return `${ms.toFixed(1).padStart(5)} ms`;
}
