/**
 * `counters`: answers each line with what containers of this machine use. A run asks it in a container on each further machine.
 */
import { createInterface } from "node:readline";
import { CountersService } from "./agent-service.js";

/** @import { Readable } from "node:stream" */

/**
 * @param {Readable} input
 * @param {(line: string) => void} print
 * @param {Pick<CountersService, "answer" | "close">} [service]
 * @returns {Promise<number>} exit status, once the input ends
 */
export async function counters(input, print, service = new CountersService()) {
  // One after the other: answers come in the order of what was asked.
  for await (const line of createInterface({ input })) print(await service.answer(line));
  service.close();
  return 0;
}
