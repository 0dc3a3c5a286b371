/**
 * The engines of the machines in hosts.yaml.
 */
import { UserError } from "../errors.ts";
import { isOwn } from "./file.ts";
import { Engine } from "../platform/engine.ts";
import { GIVEN_UP, run as dockerRun } from "../platform/subprocess.ts";
import { BENCH_IMAGE, engineInfo } from "../machine/engine.ts";
import type { run as Run } from "../platform/subprocess.ts";
import type { Machine, Role } from "./file.ts";
import type { EngineInfo } from "../machine/engine.ts";

interface About {
  machine: Machine;
  /** null: it does not answer */
  info: EngineInfo | null;
  /** why it does not; else empty */
  error: string;
}

export type HostEngine = Engine & About;

export type ReachedEngine = HostEngine & { info: EngineInfo };

/** how long a machine may say nothing, in ms */
interface Patience {
  /** to the first question */
  reach: number;
  /** to any other: the slowest of them are a Swarm's, and a container that starts */
  step: number;
  /** once it has been silent: nobody waits as long for it twice */
  again: number;
}

const PATIENCE: Patience = { reach: 20_000, step: 60_000, again: 5_000 };

/** @returns `docker`, with the options that lead to its engine */
function clientOf(machine: Machine): string[] {
  const { context, host } = machine;
  if (isOwn(machine)) return ["docker"];
  return context === undefined
    ? ["docker", "--host", String(host)]
    : ["docker", "--context", context];
}

/**
 * @returns in the same order, each asked once; a command that is not answered in time is an error
 *   that names the machine
 */
export function reachEngines(
  machines: Machine[],
  run: typeof Run = dockerRun,
  patience: Patience = PATIENCE,
): Promise<HostEngine[]> {
  return Promise.all(
    machines.map(async (machine) => {
      const about: About = { machine, info: null, error: "" };
      const engine = Object.assign(new Engine(clientOf(machine), run), about);
      engine.run = untilSilent(engine, patience);
      const limit = AbortSignal.timeout(patience.reach);
      try {
        engine.info = await engineInfo((command) => engine.run(command, { limit }));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        engine.error = error instanceof Silence ? error.fact : error.message;
      }
      return engine;
    }),
  );
}

/**
 * A machine without power, one whose packets are dropped, and an engine that was stopped say
 * nothing, not even that they do not answer.
 *
 * @returns as the engine's, but what is not answered in time is a `UserError`
 */
function untilSilent({ machine, client, run }: HostEngine, { step, again }: Patience): typeof Run {
  let isSilent = false;
  return async (command, options) => {
    const startedMs = performance.now();
    const limit = options?.limit ?? AbortSignal.timeout(isSilent ? again : step);
    const result = await run(command, { ...options, limit });
    isSilent = limit.aborted && result.code === GIVEN_UP;
    if (!isSilent) return result;
    throw new Silence({ machine, client }, stepOf(command), performance.now() - startedMs);
  };
}

/** A machine has said nothing for as long as it may. */
export class Silence extends UserError {
  /** Without the name of the machine. */
  fact: string;

  /**
   * @param step that it did not answer
   * @param ms that it had
   */
  constructor(
    { machine, client }: Pick<HostEngine, "machine" | "client">,
    step: string,
    ms: number,
  ) {
    const seconds = (ms / 1000).toFixed(ms < 1000 ? 1 : 0);
    const fact = `no answer within ${seconds} s to: ${step}`;
    super(
      `${machine.name}: ${fact}`,
      `Its engine, or the connection to it, is silent. Make sure that ${client.join(" ")} version works on the machine where ./bench runs, then run this again: it continues from there.`,
    );
    this.fact = fact;
  }
}

/**
 * @param command of docker
 * @returns without options, as some are secret; of a container what is to run in it: `docker run,
 *   ping`
 */
function stepOf(command: string[]): string {
  const option = command.findIndex((word) => word.startsWith("-"));
  const verb = command.slice(0, option < 0 ? undefined : option).join(" ");
  const [, inside] = command.slice(
    command.indexOf(command.includes("--entrypoint") ? "--entrypoint" : BENCH_IMAGE),
  );
  return verb === "docker run" ? `${verb}, ${inside}` : verb;
}

export function isReached(engine: HostEngine): engine is ReachedEngine {
  return engine.info !== null;
}

/** @returns those of the machines that have it */
export function withRole<T extends HostEngine>(engines: T[], role: Role): T[] {
  return engines.filter(({ machine }) => machine.roles.includes(role));
}

/**
 * @param args of docker
 * @returns what it wrote to stdout
 * @throws {UserError} when it fails, with the machine and docker's own words
 */
export async function askEngine({ machine, run }: HostEngine, args: string[]): Promise<string> {
  const { code, stdout, output } = await run(["docker", ...args]);
  if (code !== 0) {
    throw new UserError(
      `${machine.name}: docker ${args.join(" ")} ended with status ${code}`,
      output.trim(),
    );
  }
  return stdout;
}
