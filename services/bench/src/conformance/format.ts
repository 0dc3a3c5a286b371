import { HTTP2_CHECKS, OFFER_CHECK } from "./http2-checks.ts";

import type { CheckResult } from "./conform.ts";

const COLUMNS = [OFFER_CHECK, ...HTTP2_CHECKS];

/** @returns one line */
export function formatResult({
  scheme,
  title,
  ok,
  expected,
  actual,
  skipped,
  no,
  remark,
  untuned,
}: CheckResult): string {
  const line = (mark: string) => `${mark.padEnd(4)} ${scheme.padEnd(4)} ${title}`;
  if (skipped) {
    return `${line("skip")}: ${skipped}`;
  }
  if (no) {
    return `${line("no")}: ${no}`;
  }
  if (remark) {
    return `${line("ok")}: ${remark}`;
  }
  const differs = (mark: string) => `${line(mark)}: expected ${expected}; got ${actual}`;
  if (untuned) {
    return differs("note");
  }
  return ok ? line("ok") : differs("FAIL");
}

/**
 * @returns lines: which of them carry WebSockets over HTTP/2, and what of it; none: nobody was
 *   asked
 */
export function formatMatrix(proxies: { name: string; results: CheckResult[] }[]): string[] {
  const rows = proxies.flatMap(({ name, results }) => {
    const marks = COLUMNS.map(({ id }) => markOf(results.find((result) => result.id === id)));
    return marks[0] === "" ? [] : [[name, ...marks]];
  });
  if (rows.length === 0) return [];
  const table = [["", ...COLUMNS.map(({ column }) => column)], ...rows];
  const widths = table[0].map((_, i) => Math.max(...table.map((row) => row[i].length)));
  return [
    "WebSockets over HTTP/2 (RFC 8441)",
    ...table.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i])).join("  ")}`.trimEnd()),
  ];
}

function markOf(result: CheckResult | undefined) {
  if (!result || result.skipped) return "";
  if (result.no) return "no";
  if (result.remark) return `ok (${result.remark})`;
  return result.ok ? "ok" : "FAIL";
}
