/**
 * `clock`: answers each line with this machine's time. `hosts` asks it in a container on each
 * machine.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { wallClock } from "./clock.ts";
import type { Readable } from "node:stream";

/** @returns exit status, once the input ends */
export async function clock(input: Readable, print: (line: string) => void): Promise<number> {
  const now = wallClock();
  const lines = createInterface({ input });
  lines.on("line", () => print(String(now())));
  await once(lines, "close");
  return 0;
}
