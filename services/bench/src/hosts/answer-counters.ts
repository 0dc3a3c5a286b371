/**
 * `counters`: answers each line with what containers of this machine use. A run asks it in a
 * container on each further machine.
 */
import { createInterface } from "node:readline";
import { CountersService } from "./agent-service.ts";
import type { Readable } from "node:stream";

/** @returns exit status, once the input ends */
export async function counters(
  input: Readable,
  print: (line: string) => void,
  service: Pick<CountersService, "answer" | "close"> = new CountersService(),
): Promise<number> {
  // One after the other: answers come in the order of what was asked.
  for await (const line of createInterface({ input })) print(await service.answer(line));
  service.close();
  return 0;
}
