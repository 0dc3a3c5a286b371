/**
 * `run`: a whole battle, recorded, with a report at its end.
 */
import { join, relative, resolve } from "node:path";
import { reasonAgainstBudgetGroup } from "../platform/budget-group.js";
import { Project } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { BENCH_IMAGE, requireCounters } from "../machine/engine.js";
import { readEnvironment } from "../machine/environment.js";
import { isDisturbed } from "../record/disturbance.js";
import { identityDifferences } from "../record/identity.js";
import { describeDescriptors, readLimits } from "../machine/limits.js";
import { SeveralMachines } from "../hosts/several.js";
import { preflight, refuseTooMany } from "../machine/preflight.js";
import { readBattle } from "../plan/battle.js";
import { needsOneBudget, quotaOf } from "../plan/cpu-budget.js";
import { describePlan, differences as planDifferences } from "../plan/describe.js";
import { pilotOf, ratesFrom } from "../plan/pilot.js";
import { readNetwork, readReferenceShare } from "../plan/knobs.js";
import { makePlan } from "../plan/plan.js";
import { runNameAt } from "../plan/run-name.js";
import { readProxies } from "../plan/proxies.js";
import { lock } from "../run/lock.js";
import { THIS_MACHINE } from "../run/machines.js";
import { cellsToRepeat } from "../record/repeats.js";
import { Store } from "../record/store.js";
import { terminalOf } from "../report/terminal.ts";
import { publishedOf, writeReport } from "./report.js";
import { Testbed, Interrupted } from "../run/testbed.js";
import { liveView } from "../report/progress.js";
import { runPoints } from "./run-points.js";
import { setup, unavailableProxies } from "./setup.js";

/** @import { RunArguments } from "./definitions/run.js" */
/** @import { Battle } from "../plan/battle.js" */
/** @import { Known, Overrides } from "../plan/plan.js" */
/** @import { ComposeConfig } from "../platform/docker.js" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Environment } from "../model/environment.ts" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Machines, Placed } from "../run/machines.js" */

/** Exit status, as a shell has it of Ctrl-C. */
const INTERRUPTED = 130;

/**
 * @typedef {object} Context
 * @property {string} directory the project's
 * @property {Proxy[]} proxies all of them
 * @property {boolean} keepGoing
 * @property {boolean} [hasConnections] the command line says how many
 * @property {(line: string) => void} say
 * @property {boolean} [isPilot] what is run is a pilot, which is not resumed
 * @property {Machines} [machines] that carry its parts; left out: this one carries all
 *
 * @typedef {{code: number, store: Store}} Outcome code: exit status
 */

/**
 * @param {string} directory the project's
 * @param {RunArguments} wanted
 * @param {(line: string) => void} say
 * @param {string[]} words of the command line, for the record
 * @returns {Promise<number>} exit status: 0, 1 some cells failed, 130 interrupted
 */
export async function run(directory, wanted, say, words) {
  const { battle, overrides, name, resume, dryRun, keepGoing } = wanted;
  const proxies = readProxies(join(directory, "proxies"));
  const hasConnections = overrides.connections !== undefined;
  const store = resume === undefined ? null : Store.open(resolve(resume));
  const file = wanted.hosts ?? store?.results.run.hosts;
  const machines = file === undefined ? THIS_MACHINE : new SeveralMachines(directory, file);
  const context = { directory, proxies, keepGoing, hasConnections, say, machines };
  if (store) {
    refusePilot(directory, store);
    machines.refuseResume(store.results, relative(directory, store.directory));
    return (await goOn(context, store, dryRun)).code;
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
  const pilotBattle = pilotOf(asked);
  const pilot = pilotBattle && pilotPlan(pilotBattle, overrides, known);
  for (const each of [plan, ...(pilot ? [pilot] : [])]) machines.refuse(each);
  if (dryRun) {
    console.log(describePlan(await fit(context, plan, await readConfig(directory)), pilot));
    return 0;
  }
  const runName = name ?? plan.battle;
  if (!pilot || !asked.pilot) return (await begin(context, plan, runName, words)).code;
  const piloted = await pilotRates(context, pilot, asked.pilot, (planned, about) =>
    begin(about, planned, `${runName}-pilot`, words),
  );
  if (!piloted) return INTERRUPTED;
  return (await begin(context, makePlan(asked, overrides, { ...known, piloted }), runName, words))
    .code;
}

/**
 * @param {Battle} battle as `pilotOf` gave it
 * @param {Overrides} overrides of the battle that it is the pilot of
 * @param {Known} known
 * @returns {Plan}
 */
function pilotPlan(battle, overrides, known) {
  return { ...makePlan(battle, { ...overrides, rounds: 1 }, known), isPilot: true };
}

/**
 * @param {Context} context
 * @param {Plan} pilot
 * @param {NonNullable<Battle["pilot"]>} asked
 * @param {(pilot: Plan, context: Context) => Promise<Outcome>} begin runs it
 * @returns {Promise<Known["piloted"] | null>} null: it was interrupted
 * @throws {UserError} when it tells no rate for a load
 */
export async function pilotRates(context, pilot, { busyPercent }, begin) {
  context.say("a pilot computes the rates for this machine");
  // A proxy that fails is none of those that the rate has to suit.
  const { code, store } = await begin(pilot, { ...context, keepGoing: true, isPilot: true });
  if (code === INTERRUPTED) return null;
  // What other programs took would be charged to the load.
  const cells = store.results.cells.filter((record) => !isDisturbed(record));
  const rates = ratesFrom({ ...store.results, cells }, busyPercent);
  return { run: store.results.run.name, rates };
}

/**
 * @param {string} directory
 * @param {Store} store
 * @throws {UserError} when it is a pilot: the battle after it has a plan of its own, made from the whole of it
 */
function refusePilot(directory, { directory: folder, results: { plan, run } }) {
  if (!plan.isPilot) return;
  throw new UserError(
    `${relative(directory, folder)} is the pilot of ${plan.battle}, and a pilot is not resumed`,
    `Begin anew: ${run.command}. Where the battle after it has begun, resume that one.`,
    2,
  );
}

/**
 * @param {string} directory the project's
 * @returns {Promise<ComposeConfig>} with every profile
 * @throws {UserError} when Compose cannot read it
 */
function readConfig(directory) {
  return new Project(directory, { profile: "*" }).config();
}

/**
 * @param {Context} context
 * @param {Plan} plan
 * @param {ComposeConfig} config
 * @returns {Promise<Plan>} with what this machine cannot run marked
 * @throws {UserError} when it cannot run what was asked for
 */
async function fit(context, plan, config) {
  const { directory, proxies, hasConnections, machines = THIS_MACHINE, say } = context;
  const limits = await machines.limits(await readLimits());
  say(`descriptors per process: ${describeDescriptors(limits)}`);
  const services = servicesByProfile(config);
  const noOneBudget = needsOneBudget(services, plan)
    ? await reasonAgainstBudgetGroup(`${config.name}-trial`, {
        image: BENCH_IMAGE,
        quota: quotaOf(plan.proxyCpus),
      })
    : null;
  const workers = workersOf(plan, config);
  const unavailable = await unavailableProxies(directory, config, proxies);
  const loadMachines = machines.loads;
  const about = { proxies, services, workers, noOneBudget, unavailable, loadMachines };
  if (hasConnections) refuseTooMany(plan, limits, about);
  return machines.share(preflight(plan, limits, about));
}

/**
 * @param {Plan} plan
 * @param {ComposeConfig} config with every profile
 * @returns {import("../machine/preflight.js").Workers}
 */
function workersOf({ workers }, { services }) {
  const knob = (/** @type {string} */ name) =>
    workers ??
    Math.max(1, ...Object.values(services).map((s) => Number(s.environment?.[name] ?? 1)));
  return { proxy: knob("PROXY_WORKERS"), echo: knob("ECHO_WORKERS") };
}

/**
 * @param {Plan} plan
 * @returns {string[]} servers that stand behind the proxies in the echo server's place
 */
function backendsOf({ scenarios }) {
  const backends = Object.values(scenarios).map(({ backend }) => backend);
  return [...new Set(backends)].filter((backend) => backend !== "echo");
}

/**
 * Runs a plan from its start.
 *
 * @param {Context} context
 * @param {Plan} asked before this machine was looked at
 * @param {string} name of the run, after its time
 * @param {string[]} command that repeats it
 * @returns {Promise<Outcome>}
 */
export async function begin(context, asked, name, command) {
  const { directory, proxies, machines = THIS_MACHINE, say } = context;
  // A mistake in that file is better known now than at the report.
  publishedOf(directory, asked);
  await requireCounters();
  await machines.join();
  await setup(directory, say, { backends: backendsOf(asked) });
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

/**
 * @param {Context} context
 * @param {Store} store
 * @param {boolean} dryRun
 * @returns {Promise<Outcome>}
 */
async function goOn(context, store, dryRun) {
  const { directory, proxies, machines = THIS_MACHINE, say } = context;
  const { plan, run, environment: before } = store.results;
  const tried = store.readPlan();
  if (dryRun) {
    const done = new Set(
      store.results.cells.flatMap(({ id, status }) => (status === "failed" ? [] : id)),
    );
    for (const { id } of cellsToRepeat(store.results)) done.delete(id);
    console.log(describePlan({ ...plan, cells: plan.cells.filter(({ id }) => !done.has(id)) }));
    return { code: 0, store };
  }
  await requireCounters();
  await machines.join();
  await setup(directory, say, { backends: backendsOf(plan) });
  const config = await readConfig(directory);
  const placed = await machines.place({ plan, proxies, config });
  return underLock({ ...context, placed }, store.directory, config, async (environment) => {
    const changed = [
      ...planDifferences(plan, tried),
      ...identityDifferences(before.identity, (await environment(plan)).identity),
    ].map(({ key, was, is }) => `${key}: was ${was}, is ${is}`);
    if (changed.length === 0) return store;
    throw new UserError(
      `${relative(directory, store.directory)} was begun under other conditions; the figures of both would mix:\n` +
        changed.map((line) => `  ${line}`).join("\n"),
      `Restore them and resume, or begin anew: ${run.command}`,
    );
  });
}

/**
 * @param {Context & {placed: Placed}} context
 * @param {string} folder of the run
 * @param {ComposeConfig} config
 * @param {(environment: (plan: Plan) => Promise<Environment>) => Promise<Store>} openStore
 * @returns {Promise<Outcome>}
 */
async function underLock(context, folder, config, openStore) {
  const { directory, proxies, keepGoing, say, placed } = context;
  const { release, left } = await lock(directory, relative(directory, folder));
  const controller = new AbortController();
  const interrupt = () => controller.abort(new Interrupted());
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const view = liveView(process.stderr, { isTerminal: Boolean(process.stderr.isTTY) });
  /** @type {Store | undefined} */
  let store;
  /** @type {Testbed | undefined} */
  let testbed;
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
    finish(directory, store);
    if (failed > 0) say(`${failed} cells failed; the report says why`);
    // After a pilot the battle goes on as it is.
    if (!context.isPilot && (failed > 0 || untried > 0)) say(nextStep(context, store));
    return { code: failed > 0 ? 1 : 0, store };
  } catch (error) {
    view.close();
    if (store && !(error instanceof Interrupted)) say(nextStep(context, store));
    if (!store || !(error instanceof Interrupted)) throw error;
    say("interrupted; what was recorded is kept");
    writeReport(directory, store);
    say(nextStep(context, store));
    return { code: INTERRUPTED, store };
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    // An engine that was lost may still run what this run started: the next one clears it away.
    if (testbed?.isClear ?? true) release();
  }
}

/**
 * @param {string} directory
 * @param {Store} store
 */
function finish(directory, store) {
  console.log(terminalOf(writeReport(directory, store).comparisons));
  console.log(`Report   ${relative(directory, join(store.directory, "report.html"))}`);
}

/**
 * @param {Pick<Context, "directory" | "isPilot">} context
 * @param {Store} store of a run that has not come to its end
 * @returns {string} what to do about it
 */
export function nextStep({ directory, isPilot }, { directory: folder, results: { run } }) {
  return isPilot
    ? `that was the pilot, which is not resumed; begin anew: ${run.command}`
    : `go on with: ./bench run --resume ${relative(directory, folder)}`;
}

/**
 * @param {ComposeConfig} config with every profile
 * @returns {Record<string, string[]>} services of each profile
 */
function servicesByProfile({ services }) {
  /** @type {Record<string, string[]>} */
  const byProfile = {};
  for (const [name, { profiles = [] }] of Object.entries(services))
    for (const profile of profiles) (byProfile[profile] ??= []).push(name);
  return byProfile;
}

/**
 * @param {Plan} plan
 * @param {Proxy[]} proxies
 * @param {Record<string, string[]>} services
 * @returns {Results["proxies"]} as the plan calls them
 */
function proxiesOf(plan, proxies, services) {
  return plan.proxies.map((name) => {
    const profile = plan.cells.find((cell) => cell.proxy === name)?.profile ?? name;
    const proxy = proxies.find((candidate) => candidate.name === profile);
    return {
      name,
      title: name === profile ? (proxy?.title ?? name) : `${proxy?.title} (copy)`,
      colour: proxy?.colour ?? "#000000",
      parts: services[profile] ?? [],
      ...(proxy?.sameWorkAs && { sameWorkAs: proxy.sameWorkAs }),
      ...(proxy?.variantOf && { variantOf: proxy.variantOf }),
      ...(proxy?.choosesTls13Cipher === false && { choosesTls13Cipher: false }),
    };
  });
}
