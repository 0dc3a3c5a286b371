/**
 * What the record keeps of a container's log.
 */
import { counted } from "../numbers.ts";

/**
 * Of its beginning, and again of its end: how it started and how it ended. A record is published,
 * and k6 alone may write megabytes.
 */
export const KEPT_CHARACTERS = 32 * 1024;

/**
 * @returns the whole of a short one; of a longer one the whole lines of both its ends, and between
 *   them how many are left out
 */
export function keptLog(log: string): string {
  if (log.length <= 2 * KEPT_CHARACTERS) return log;
  const head = log.slice(0, log.lastIndexOf("\n", KEPT_CHARACTERS) + 1);
  const tail = log.slice(log.indexOf("\n", log.length - KEPT_CHARACTERS) + 1);
  const left = log.slice(head.length, log.length - tail.length).split("\n").length - 1;
  return `${head}[bench: ${counted(left, "line")} left out here]\n${tail}`;
}
