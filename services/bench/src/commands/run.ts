/**
 * `run`: a whole battle, recorded, with a report at its end.
 */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { reasonAgainstBudgetGroup } from "../platform/budget-group.ts";
import { Project } from "../platform/compose.ts";
import { UserError } from "../errors.ts";
import { counted } from "../numbers.ts";
import { BENCH_IMAGE, requireCounters } from "../machine/engine.ts";
import { readEnvironment } from "../machine/environment.ts";
import { identityDifferences } from "../record/identity.ts";
import { readLimits } from "../machine/limits.ts";
import { SeveralMachines } from "../hosts/several.ts";
import { preflight, refuseTooMany } from "../machine/preflight.ts";
import { readBattle } from "../plan/battle.ts";
import { needsOneBudget, quotaOf } from "../plan/cpu-budget.ts";
import { differences as planDifferences } from "../plan/describe.ts";
import { readNetwork, readReferenceShare } from "../plan/knobs.ts";
import { makePlan } from "../plan/plan.ts";
import { runNameAt } from "../plan/run-name.ts";
import { pickProxy, readProxies } from "../plan/proxies.ts";
import { versionsOf } from "../plan/versions.ts";
import { lock, refuseSecond } from "../run/lock.ts";
import { THIS_MACHINE } from "../run/machines.ts";
import { cellsToRepeat } from "../record/repeats.ts";
import { Store } from "../record/store.ts";
import { planText } from "../report/plan-text.ts";
import { terminalOf } from "../report/terminal.ts";
import { publishedOf, writeReport } from "./report.ts";
import { Testbed, Interrupted } from "../run/testbed.ts";
import { liveView } from "../report/progress.ts";
import { runPoints } from "./run-points.ts";
import { setup, unavailableProxies } from "./setup.ts";
import { inVersions, verifyVersions } from "./versions.ts";
import type { RunArguments } from "./definitions/run.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Environment } from "../model/environment.ts";
import type { Plan } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import type { Machines, Placed } from "../run/machines.ts";
import type { Workers } from "../machine/preflight.ts";

/** Exit status, as a shell has it of Ctrl-C. */
export const INTERRUPTED = 130;

export interface Context {
  /** the project's */
  directory: string;
  /**
   * the user's project, where that one was made for the run: from there paths are shown; left out:
   * it is the same
   */
  home?: string;
  /** all of them, with versions that take part */
  proxies: Proxy[];
  /** why some are not measured, by name */
  unable?: Map<string, string>;
  keepGoing: boolean;
  /** the command line says how many */
  hasConnections?: boolean;
  say: (line: string) => void;
  /** its proxies are gone afterwards: it is not resumed, and its caller prints the result */
  isOnce?: boolean;
  /** that carry its parts; left out: this one carries all */
  machines?: Machines;
}

/** code: exit status */
type Outcome = { code: number; store: Store };

/**
 * @param directory the project's
 * @param words of the command line, for the record
 * @returns exit status: 0, 1 some cells failed, 130 interrupted
 */
export async function run(
  directory: string,
  wanted: RunArguments,
  say: (line: string) => void,
  words: string[],
): Promise<number> {
  const { battle, overrides, name, resume, dryRun, verbose, keepGoing } = wanted;
  const proxies = readProxies(join(directory, "proxies"));
  const hasConnections = overrides.connections !== undefined;
  const store = resume === undefined ? null : Store.open(resolve(resume));
  const file = wanted.hosts ?? store?.results.run.hosts;
  const machines = file === undefined ? THIS_MACHINE : new SeveralMachines(directory, file);
  const context = { directory, proxies, keepGoing, hasConnections, say, machines };
  if (store) {
    machines.refuseResume(store.results, relative(directory, store.directory));
    return withVersions(context, store.results.plan, wanted, async (own) => {
      refuseGone(own.proxies, store);
      return dryRun ? showRest(store, verbose) : (await goOn(own, store)).code;
    });
  }
  const known = {
    proxies,
    referenceShare: readReferenceShare(directory),
    network: readNetwork(directory),
    isSpread: machines !== THIS_MACHINE,
    say,
  };
  const asked = readBattle(directory, battle, { proxies });
  const plan = makePlan(asked, overrides, known);
  machines.refuse(plan);
  return withVersions(context, plan, wanted, async (own) => {
    if (dryRun) {
      const fitting = await fit(own, plan, await readConfig(directory));
      console.log(planText(fitting, { verbose }));
      return 0;
    }
    return (await begin(own, plan, name ?? plan.battle, words)).code;
  });
}

/**
 * Versions that take part have their folders in a project that is made for the run.
 *
 * @param context with the folders of proxies/
 * @throws {UserError} when one is not available, or the run is spread
 */
async function withVersions(
  context: Context,
  { versions }: Plan,
  { dryRun, resume }: RunArguments,
  use: (own: Context) => Promise<number>,
): Promise<number> {
  if (!versions) return use(context);
  const { directory, proxies: shipped, machines, say } = context;
  const entrants = Object.keys(versions).flatMap((name) =>
    versionsOf(pickProxy(shipped, name), versions),
  );
  if (dryRun) return use({ ...context, proxies: [...shipped, ...entrants] });
  if (machines !== THIS_MACHINE) {
    throw new UserError(
      "versions of proxies are measured on one machine",
      "Leave --hosts out, or choose a battle without versions.",
      2,
    );
  }
  await refuseSecond(directory);
  return inVersions(directory, versions, { say }, async (project) => {
    // What is resumed was checked when it began.
    const { proxies, unable } = resume
      ? { proxies: entrants, unable: undefined }
      : await verifyVersions(project, entrants, say);
    const own = { ...context, directory: project, home: directory, unable };
    return use({ ...own, proxies: [...shipped, ...proxies] });
  });
}

/** @throws {UserError} when it measured what is no longer in proxies/, as `try` does */
export function refuseGone(
  proxies: Pick<Proxy, "name">[],
  { results: { plan, run } }: Pick<Store, "results">,
) {
  const gone = plan.cells.find(({ profile }) => !proxies.some(({ name }) => name === profile));
  if (!gone) return;
  throw new UserError(
    `${run.name} measured ${gone.profile}, and there is no proxies/${gone.profile}`,
    `Start again: ${run.command}`,
    2,
  );
}

/**
 * @param directory the project's
 * @returns with every profile
 * @throws {UserError} when Compose cannot read it
 */
function readConfig(directory: string): Promise<ComposeConfig> {
  // Further projects of the run go by the same.
  return new Project(directory, { profile: "*" }).readOnce();
}

/**
 * @returns with what this machine cannot run marked
 * @throws {UserError} when it cannot run what was asked for
 */
async function fit(context: Context, plan: Plan, config: ComposeConfig): Promise<Plan> {
  const { directory, proxies, hasConnections, machines = THIS_MACHINE } = context;
  const limits = await machines.limits(await readLimits());
  const services = servicesByProfile(config);
  const noOneBudget = needsOneBudget(services, plan)
    ? await reasonAgainstBudgetGroup(`${config.name}-trial`, {
        image: BENCH_IMAGE,
        quota: quotaOf(plan.proxyCpus),
      })
    : null;
  const workers = workersOf(plan, config);
  // What a setup builds is there after it, or the setup has failed.
  const pulled = proxies.filter(({ name }) => !config.services[name]?.build);
  const unavailable = new Map([
    ...(await unavailableProxies(directory, config, pulled)),
    ...(context.unable ?? []),
  ]);
  const loadMachines = machines.loads;
  const about = { proxies, services, workers, noOneBudget, unavailable, loadMachines };
  if (hasConnections) refuseTooMany(plan, limits, about);
  return machines.share(preflight(plan, limits, about));
}

/** @param config with every profile */
function workersOf({ workers }: Plan, { services }: ComposeConfig): Workers {
  const knob = (name: string) =>
    workers ??
    Math.max(1, ...Object.values(services).map((s) => Number(s.environment?.[name] ?? 1)));
  return { proxy: knob("PROXY_WORKERS"), echo: knob("ECHO_WORKERS") };
}

/** @returns proxies, and servers that stand behind them in the echo server's place */
function neededBy({ scenarios, cells }: Plan): { backends: string[]; proxies: string[] } {
  const backends = Object.values(scenarios).map(({ backend }) => backend);
  return {
    backends: [...new Set(backends)].filter((backend) => backend !== "echo"),
    proxies: cells.map(({ profile }) => profile),
  };
}

/**
 * Runs a plan from its start.
 *
 * @param asked before this machine was looked at
 * @param name of the run, after its time
 * @param command that repeats it
 */
export async function begin(
  context: Context,
  asked: Plan,
  name: string,
  command: string[],
): Promise<Outcome> {
  const { directory, proxies, machines = THIS_MACHINE, say } = context;
  // A mistake in that file is better known now than at the report.
  publishedOf(context.home ?? directory, asked);
  await requireCounters();
  await machines.join();
  await setup(directory, say, neededBy(asked));
  const config = await readConfig(directory);
  machines.refuseBudget(asked, servicesByProfile(config));
  const plan = await fit(context, asked, config);
  const placed = await machines.place({ plan, proxies, config });
  const results = process.env.BENCH_RESULTS || join(directory, "results");
  const run = `${runNameAt()}-${name}`;
  return underLock({ ...context, placed }, join(results, run), config, async (environment) =>
    Store.create(results, run, {
      plan,
      environment: await environment(plan),
      proxies: proxiesOf(plan, proxies, servicesByProfile(config)),
      command: `./bench ${command.join(" ")}`,
      hosts: machines.file,
    }),
  );
}

/** @returns exit status */
function showRest({ results }: Store, verbose: boolean): number {
  const { plan } = results;
  const done = new Set(results.cells.flatMap(({ id, status }) => (status === "failed" ? [] : id)));
  for (const { id } of cellsToRepeat(results)) done.delete(id);
  const cells = plan.cells.filter(({ id }) => !done.has(id));
  console.log(planText({ ...plan, cells }, { verbose }));
  return 0;
}

async function goOn(context: Context, store: Store): Promise<Outcome> {
  const { directory, proxies, machines = THIS_MACHINE, say } = context;
  const { plan, run, environment: before } = store.results;
  const tried = store.readPlan();
  await requireCounters();
  await machines.join();
  await setup(directory, say, neededBy(plan));
  const config = await readConfig(directory);
  const placed = await machines.place({ plan, proxies, config });
  return underLock({ ...context, placed }, store.directory, config, async (environment) => {
    const changed = [
      ...planDifferences(plan, tried),
      ...identityDifferences(before.identity, (await environment(plan)).identity),
    ].map(({ key, was, is }) => `${key}: ${was} → ${is}`);
    if (changed.length === 0) return store;
    throw new UserError(
      `cannot resume ${shownPath(context, store.directory)}: plan or environment has changed, and figures would mix:\n` +
        changed.map((line) => `  ${line}`).join("\n"),
      `Restore that and resume, or start again: ${run.command}`,
    );
  });
}

/** @returns path as the user finds it, from the project that the command was called in */
export function shownPath(
  { directory, home = directory }: Pick<Context, "directory" | "home">,
  path: string,
): string {
  return relative(home, path);
}

/** @param folder of the run */
async function underLock(
  context: Context & { placed: Placed },
  folder: string,
  config: ComposeConfig,
  openStore: (environment: (plan: Plan) => Promise<Environment>) => Promise<Store>,
): Promise<Outcome> {
  const { directory, home = directory, proxies, keepGoing, say, placed } = context;
  const { release, left } = await lock(directory, shownPath(context, folder));
  const controller = new AbortController();
  const interrupt = () => controller.abort(new Interrupted());
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const view = liveView(process.stderr, { isTerminal: Boolean(process.stderr.isTTY) });
  const isNew = !existsSync(folder);
  let store: Store | undefined;
  let testbed: Testbed | undefined;
  try {
    const hosts = placed.recorded;
    store = await openStore((plan) => readEnvironment({ directory, config, proxies, plan, hosts }));
    testbed = new Testbed({
      directory,
      config,
      services: servicesByProfile(config),
      proxies,
      signal: controller.signal,
      placement: placed.placement,
    });
    const { failed, untried } = await testbed.run(store, {
      clear: left !== null,
      keepGoing,
      follower: runPoints(store, { directory, project: config.name, tell: view }),
    });
    view.close();
    if (untried === 0) store.complete();
    if (!context.isOnce) finish(home, store);
    if (failed > 0) {
      say(failureText({ failed, untried, keepGoing }));
      say(`logs of the last: ${shownPath(context, logsOfLastFailure(store))}`);
    }
    const spoiled = context.isOnce ? 0 : cellsToRepeat(store.results).length;
    if (untried === 0 && spoiled > 0)
      say(`the machine spoiled ${counted(spoiled, "cell")} each time; when it is quiet:`);
    if (failed > 0 || untried > 0 || spoiled > 0) say(nextStep(context, store));
    return { code: failed > 0 ? 1 : 0, store };
  } catch (error) {
    view.close();
    if (!store || !(error instanceof Interrupted)) {
      // What was refused before its first cell leaves no folder behind.
      if (isNew && !testbed?.hasBegun) store?.remove();
      else if (store) say(nextStep(context, store));
      throw error;
    }
    say("interrupted; finished cells are kept");
    writeReport(home, store);
    say(nextStep(context, store));
    return { code: INTERRUPTED, store };
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    // An engine that was lost may still run what this run started: the next one clears it away.
    if (testbed?.isClear ?? true) release();
  }
}

function finish(directory: string, store: Store) {
  // On a terminal the progress stands above it.
  if (process.stdout.isTTY) console.log();
  console.log(terminalOf(writeReport(directory, store), process.stdout.columns));
  console.log(`Report   ${relative(directory, join(store.directory, "report.html"))}`);
}

/** @param store of a run in which a cell failed */
function logsOfLastFailure(store: Store): string {
  const { cells } = store.results;
  const last = cells.findLast(({ status }) => status === "failed") ?? cells[0];
  return join(store.cellPath(last.id, last.attempt), "logs");
}

/** @param about failed, untried: cells */
export function failureText({
  failed,
  untried,
  keepGoing,
}: {
  failed: number;
  untried: number;
  keepGoing: boolean;
}): string {
  const told = `${counted(failed, "cell")} failed; the report says why`;
  if (untried === 0 || keepGoing) return told;
  return `stopped at the first failed cell, ${counted(untried, "cell")} not measured; --keep-going goes on after a failure`;
}

/**
 * @param store of a run that has not come to its end
 * @returns what to do about it
 */
export function nextStep(
  { isOnce, ...context }: Pick<Context, "directory" | "home" | "isOnce">,
  { directory: folder, results: { run } }: Pick<Store, "directory" | "results">,
): string {
  return isOnce
    ? `start again: ${run.command}`
    : `resume: ./bench run --resume ${shownPath(context, folder)}`;
}

/**
 * @param config with every profile
 * @returns services of each profile
 */
function servicesByProfile({ services }: ComposeConfig): Record<string, string[]> {
  const byProfile: Record<string, string[]> = {};
  for (const [name, { profiles = [] }] of Object.entries(services))
    for (const profile of profiles) (byProfile[profile] ??= []).push(name);
  return byProfile;
}

/** @returns as the plan calls them */
function proxiesOf(
  plan: Plan,
  proxies: Proxy[],
  services: Record<string, string[]>,
): Results["proxies"] {
  return plan.proxies.map((name) => {
    const profile = plan.cells.find((cell) => cell.proxy === name)?.profile ?? name;
    const proxy = proxies.find((candidate) => candidate.name === profile);
    return {
      name,
      title: name === profile ? (proxy?.title ?? name) : `${proxy?.title} (copy)`,
      colour: proxy?.colour ?? "#000000",
      ...(proxy && { shape: proxy.shape }),
      parts: services[profile] ?? [],
      ...(proxy?.sameWorkAs && { sameWorkAs: proxy.sameWorkAs }),
      ...(proxy?.variantOf && { variantOf: proxy.variantOf }),
      ...(proxy?.reload?.documented && { onReload: proxy.reload.documented }),
      ...(proxy?.tuned === false && { tuned: false }),
      ...(proxy?.choosesTls13Cipher === false && { choosesTls13Cipher: false }),
    };
  });
}
