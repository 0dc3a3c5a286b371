/**
 * What proxies can do, as one table: each row is a view of checks, beside the lines of a
 * configuration that decide it.
 */
import { HELD } from "./held-check.ts";
import { HTTP2_CHECKS, OFFER_CHECK } from "./http2-checks.ts";
import { OUTLIVES_MS } from "./reload-checks.ts";
import type { CheckResult } from "./conform.ts";
import type { DecidingLines } from "./deciding-lines.ts";

interface Capability {
  title: string;
  /** ids: it can when all say so */
  checks: string[];
}

const WATCHED = `${OUTLIVES_MS / 1_000} s`;

export const CAPABILITIES = {
  upgrade: { title: "WebSockets over HTTP/1.1", checks: ["handshake", "text"] },
  http2: {
    title: "WebSockets over HTTP/2 (RFC 8441)",
    checks: [OFFER_CHECK, ...HTTP2_CHECKS].map(({ id }) => id),
  },
  subprotocol: { title: "Subprotocols pass", checks: ["subprotocol"] },
  deflate: { title: "permessage-deflate passes", checks: ["deflate"] },
  large: { title: "Message of 1 MiB passes", checks: ["size-1048576"] },
  ping: { title: "Ping reaches the server", checks: ["ping"] },
  close: { title: "Close codes pass, both ways", checks: ["close-by-client", "close-by-server"] },
  idle: { title: "Idle connection stays open", checks: ["idle"] },
  held: { title: `${HELD.toLocaleString("en")} connections at once`, checks: ["held"] },
  host: { title: "Client's Host, or X-Forwarded-Host", checks: ["host"] },
  "forwarded-for": { title: "X-Forwarded-For", checks: ["forwarded-for"] },
  "forwarded-proto": {
    title: "X-Forwarded-Proto, not the client's own",
    checks: ["forwarded-proto", "forged-proto"],
  },
  reload: { title: `Connections open ${WATCHED} after a reload`, checks: ["reload"] },
  drain: { title: `Connections open ${WATCHED} after a graceful stop`, checks: ["drain"] },
  tls13: { title: "TLS 1.3", checks: ["tls13-version"] },
  tls12: { title: "TLS 1.2", checks: ["tls12-version"] },
  "old-tls": { title: "TLS 1.0 and 1.1 refused", checks: ["tls11-refused", "tls10-refused"] },
  resumption: {
    title: "TLS resumption as in certs/policy.json",
    checks: ["tls13-resumption", "tls12-resumption"],
  },
} satisfies Record<string, Capability>;

export type CapabilityId = keyof typeof CAPABILITIES;

const IDS = Object.keys(CAPABILITIES) as CapabilityId[];

/** A proxy that carries WebSockets. */
export interface Checked {
  title: string;
  results: CheckResult[];
  /** of its configuration; left out: not shown */
  lines?: DecidingLines;
}

/** A table of ../report, where other parts make texts of it. */
export interface Matrix {
  title: string;
  note: string;
  head: { title: string; words: true }[];
  rows: { text: string }[][];
  footnotes?: string[];
}

interface Mark {
  can: "yes" | "no" | "not asked";
  text: string;
}

/** More do not fit beside the rows' titles. */
const MOST_COLUMNS = 6;

const NOT_ASKED: Mark = { can: "not asked", text: "–" };
const LEGEND =
  "✓ yes, ✗ no (over the scheme beside it), – not checked: it does not apply, or proxy.json does not declare it.";

/**
 * @param idleMs for how long connections were idle
 * @returns the matrix, a few proxies a table, with a column of lines when one proxy has them; else
 *   a table of all lines after it, the only one with a title
 */
export function matrixOf(checked: Checked[], idleMs: number): Matrix[] {
  const columns = checked.map(({ title, results, lines }) => ({
    title,
    cells: IDS.map((id) => {
      const mark = markOf(results, CAPABILITIES[id].checks);
      return { mark, lines: linesText(mark, lines?.[id]) };
    }),
    remarks: results.flatMap((one) =>
      one.remark ? [`${title}: ${one.title}: ${one.remark}.`] : [],
    ),
  }));
  const titles = IDS.map((id) => titleOf(id, idleMs));
  const withLines = checked.filter(({ lines = {} }) => Object.keys(lines).length > 0);
  const isAlone = withLines.length === 1;
  const count = Math.ceil(columns.length / MOST_COLUMNS);
  const matrices = Array.from({ length: count }, (_, nth) => {
    const own = columns.slice(nth * MOST_COLUMNS, (nth + 1) * MOST_COLUMNS);
    const matrix = tableOf(
      ["", ...own.map(({ title }) => title), ...(isAlone ? ["Decided by"] : [])],
      titles.map((title, i) => [
        title,
        ...own.map(({ cells }) => cells[i].mark.text),
        ...(isAlone ? [own.map(({ cells }) => cells[i].lines).join("")] : []),
      ]),
    );
    const footnotes = own.flatMap(({ remarks }) => remarks);
    return { ...matrix, note: nth === 0 ? LEGEND : "", footnotes };
  });
  const decided = columns.flatMap(({ title, cells }) =>
    cells.flatMap(({ lines }, i) => (lines ? [[title, titles[i], lines]] : [])),
  );
  if (isAlone || decided.length === 0) return matrices;
  const all = tableOf(["Proxy", "Capability", "Decided by"], decided);
  return [...matrices, { ...all, title: "Lines that decide" }];
}

function titleOf(id: CapabilityId, idleMs: number): string {
  const { title } = CAPABILITIES[id];
  return id === "idle" ? `${title} for ${idleMs / 1_000} s` : title;
}

function tableOf(head: string[], rows: string[][]): Matrix {
  return {
    title: "",
    note: "",
    head: head.map((title) => ({ title, words: true })),
    rows: rows.map((row) => row.map((text) => ({ text }))),
  };
}

function markOf(results: CheckResult[], checks: string[]): Mark {
  const asked = results.filter(({ id, skipped }) => checks.includes(id) && !skipped);
  if (asked.length === 0) return NOT_ASKED;
  const lacking = asked.filter(({ ok, untuned, no }) => !ok || untuned || no);
  if (lacking.length === 0) return { can: "yes", text: "✓" };
  const [some, all] = [lacking, asked].map((of) => new Set(of.map(({ scheme }) => scheme)));
  return { can: "no", text: ["✗", ...(some.size < all.size ? some : [])].join(" ") };
}

function linesText({ can }: Mark, lines: DecidingLines[CapabilityId]): string {
  if (!lines || can === "not asked") return "";
  const missing = can === "no" ? lines.missing.map((directive) => `no ${directive}`) : [];
  return [...lines.found, ...missing].join("; ");
}
