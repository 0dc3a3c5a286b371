/**
 * Waiting for something outside to be ready.
 */
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until the answer is good or the time is over.
 *
 * @template T
 * @param {number} deadline ms since 1970
 * @param {() => Promise<T>} ask
 * @param {(answer: T) => boolean} isGood
 * @returns {Promise<T>} the last answer
 */
export async function until(deadline, ask, isGood) {
  let answer = await ask();
  while (!isGood(answer) && Date.now() < deadline) {
    await sleep(200);
    answer = await ask();
  }
  return answer;
}

/**
 * @param {string} url
 * @returns {Promise<string>} the HTTP status, or in words why none came within 1 s
 */
export async function statusOf(url) {
  try {
    // Not kept alive: the next one asked may be another proxy of the same name.
    const response = await fetch(url, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(1000),
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return error instanceof Error ? String(error.cause ?? error) : String(error);
  }
}
