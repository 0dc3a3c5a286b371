/**
 * Runs programs of this machine, such as docker, and passes signals on to them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { UserError } from "../errors.ts";
import type { ChildProcess } from "node:child_process";

export interface Result {
  /** exit status; 128 + n when ended by signal n */
  code: number;
  stdout: string;
  stderr: string;
  /** both, in the order in which they came */
  output: string;
}

/** Status of a program that was given up, as timeout(1) has it. */
export const GIVEN_UP = 124;

/**
 * Runs a program to its end.
 *
 * @param options inherit: shares this process' terminal; firstOutputWithinMs: it is ended when it
 *   has said nothing by then; limit: when it is aborted, the program is killed and has ended with
 *   status 124
 * @returns rejects when `signal` is aborted
 */
export function run(
  [program, ...args]: string[],
  {
    env = {},
    inherit = false,
    cwd,
    firstOutputWithinMs,
    signal,
    limit,
  }: {
    env?: Record<string, string>;
    inherit?: boolean;
    cwd?: string;
    firstOutputWithinMs?: number;
    signal?: AbortSignal;
    limit?: AbortSignal;
  } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    let isGivenUp = false;
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: inherit ? "inherit" : ["ignore", "pipe", "pipe"],
      cwd,
      signal,
    });
    const result = { code: 0, stdout: "", stderr: "", output: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      result.stdout += text;
      result.output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      result.stderr += text;
      result.output += text;
    });
    const silence =
      firstOutputWithinMs && setTimeout(() => !result.output && child.kill(), firstOutputWithinMs);
    const giveUp = () => {
      isGivenUp = true;
      const text = `given up after ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`;
      result.stderr += text;
      result.output += text;
      child.kill("SIGKILL");
      // What it has started itself, as docker its plugin for Compose, may go on, and would hold
      // them.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    children.add({ child, sharesTerminal: inherit && Boolean(process.stdin.isTTY) });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(silence);
      limit?.removeEventListener("abort", giveUp);
      children.delete(child);
      result.code = isGivenUp ? GIVEN_UP : (code ?? (signal === "SIGINT" ? 130 : 143));
      resolve(result);
    });
    limit?.addEventListener("abort", giveUp);
    if (limit?.aborted) giveUp();
  });
}

/**
 * Programs that run now. A signal to the container reaches this process alone; they must end too.
 * But Ctrl-C on a shared terminal reaches both, and a second one would make Compose kill what it is
 * about to stop.
 */
const children = {
  /** whether it shares the terminal */
  running: new Map() as Map<ChildProcess, boolean>,

  add({ child, sharesTerminal }: { child: ChildProcess; sharesTerminal: boolean }) {
    if (this.running.size === 0) process.on("SIGINT", forward).on("SIGTERM", forward);
    this.running.set(child, sharesTerminal);
  },

  delete(child: ChildProcess) {
    this.running.delete(child);
    // Without a listener the signal ends this process again, as it should while nothing runs.
    if (this.running.size === 0) process.off("SIGINT", forward).off("SIGTERM", forward);
  },
};

function forward(signal: NodeJS.Signals) {
  for (const [child, sharesTerminal] of children.running)
    if (!(sharesTerminal && signal === "SIGINT")) child.kill(signal);
}

/**
 * As `run`, but a status other than 0 is an error.
 *
 * @returns what it wrote to stdout
 * @throws {UserError} with the program's own words
 */
export async function check(
  command: string[],
  options?: Parameters<typeof run>[1],
): Promise<string> {
  return stdoutOf(command, await run(command, options));
}

/** @throws {UserError} with the program's own words, when it failed */
export function stdoutOf(command: string[], { code, stdout, output }: Result): string {
  if (code !== 0)
    throw new UserError(`${command.join(" ")} ended with status ${code}`, output.trim());
  return stdout;
}

/** @param ms from now; undefined: none */
export function limitOf(ms: number | undefined): AbortSignal | undefined {
  return ms === undefined ? undefined : AbortSignal.timeout(ms);
}

/**
 * Starts a program that answers each line with a line.
 *
 * @returns ask: rejects with a UserError and the program's own words when it ends without an
 *   answer; end: ends its input, and waits until it has ended
 */
export function converse([program, ...args]: string[]): {
  ask: (line: string) => Promise<string>;
  end: () => Promise<void>;
  kill: () => void;
  hasEnded: () => boolean;
} {
  const child = spawn(program, args, { stdio: "pipe" });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  // A program that has ended reads no more: the missing answer tells it.
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  children.add({ child, sharesTerminal: false });
  const ended = once(child, "close").finally(() => children.delete(child));
  // Whether anything waits for it or not: the missing answer shows what is wrong with it.
  ended.catch(() => {});
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const { value, done } = await answers.next();
      if (!done) return value;
      await ended;
      throw new UserError(`${program} ended without an answer`, said.trim());
    },
    async end() {
      child.stdin.end();
      await ended;
    },
    kill: () => void child.kill("SIGKILL"),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  };
}
