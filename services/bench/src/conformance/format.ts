import type { CheckResult } from "./conform.ts";

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
