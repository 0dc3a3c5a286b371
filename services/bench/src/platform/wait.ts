/**
 * Waiting for something outside to be ready.
 */
import http from "node:http";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until the answer is good or the time is over.
 *
 * @param deadline ms since 1970
 * @returns the last answer
 */
export async function until<T>(
  deadline: number,
  ask: () => Promise<T>,
  isGood: (answer: T) => boolean,
): Promise<T> {
  let answer = await ask();
  while (!isGood(answer) && Date.now() < deadline) {
    await sleep(200);
    answer = await ask();
  }
  return answer;
}

/**
 * As Promise.all, but it rejects when all have ended: by then nothing makes what would have to be
 * removed.
 */
export async function allEnded<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * Some at a time, the next when one has ended.
 *
 * @returns in the order of the items; it rejects when all have ended
 */
export async function workThrough<T, R>(
  items: T[],
  atATime: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) results[i] = await work(item);
  };
  await allEnded(Array.from({ length: atATime }, worker));
  return results;
}

/**
 * @param url of http or https; who signed the certificate is not asked here: the conformance checks
 *   and the load do
 * @param address to connect to; default: where the name leads
 * @returns the HTTP status, or in words why none came within 1 s
 */
export function statusOf(url: string, address?: string): Promise<string> {
  return new Promise((resolve) => {
    const { protocol, host, hostname } = new URL(url);
    const { get } = protocol === "https:" ? https : http;
    const options = {
      ...(address && { hostname: address, servername: hostname, headers: { host } }),
      // Not kept alive: the next one asked may be another proxy of the same name.
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(1000),
    };
    get(url, options, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    }).on("error", (error) => resolve(String(error.cause ?? error)));
  });
}
