/**
 * From a battle to its plan: every cell, in the order in which they run.
 */
import { isDeepStrictEqual } from "node:util";
import { shuffle } from "simple-statistics";
import { didYouMean, SEE_LIST, UserError } from "../errors.ts";
import {
  refuseOnHostNetwork,
  refuseUnableOnNetwork,
  unableOnNetwork,
  withNetwork,
} from "./network.ts";
import { CONTROL, groupNames, pickProxies, pickProxy } from "./proxies.ts";
import { versionsOf } from "./versions.ts";
import { aboveOf, RESOLUTION } from "../statistics/capacity-search.ts";
import { randomNumbers } from "../statistics/random.ts";
import { limitSeconds } from "./estimate.ts";
import { EVENTS, lackFor } from "./events.ts";
import { combinations, descriptionOf, excesses, unableToServe } from "./scenarios.ts";
import { skipKindOf, skipped } from "./skips.ts";
import { refuseAlone } from "./side-by-side.ts";
import { LEAST_RATE, longest } from "./probes.ts";
import { FAILED_LIMIT_PERCENT, rateName, workloadOf } from "./workload.ts";
import type { Proxy } from "./proxies.ts";
import type {
  CapacityPart,
  LoadPromise,
  Parameters,
  Plan,
  PlannedCell,
  Scheme,
  Versions,
  Workload,
} from "../model/plan.ts";
import type { Battle, Test } from "./battle.ts";
import type { Network } from "./network.ts";
import type { Scenario } from "./scenarios.ts";

/** what the command line changes; what is left out stays as the battle has it */
export interface Overrides {
  /** a group, or a list of proxies and groups */
  proxies?: string | string[];
  /** of every test */
  schemes?: Scheme[];
  /** of every test */
  connections?: number[];
  /** of all tests together; those without one of them are left out */
  events?: string[];
  rounds?: number;
  seed?: number;
  proxyCpus?: number;
  /** of a battle with a promise */
  sloMs?: number;
}

/** what all proxies are put through alike */
interface Setting {
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  warmUp: Parameters | null;
  /** null: its scenario knows none */
  event: string | null;
  /** how many, from the first */
  rounds: number;
  /** takes part */
  control: boolean;
}

export interface Known {
  /** every folder of proxies/, in its order */
  proxies: Proxy[];
  /** of the load, where a scenario uses it; left out: 0, there is no reference proxy */
  referenceShare?: number;
  /** of tests that do not say it; left out: bridge */
  network?: Network;
  /** it is to run over several machines */
  isSpread?: boolean;
  /** told what is changed beyond what was asked for */
  say?: (note: string) => void;
}

/** name: in plan and report; the folder's is the profile that Compose starts */
type Entrant = { name: string; proxy: Proxy };

/**
 * The fewest that give the median a 95 % confidence interval without assuming a distribution: 1 − 2
 * × 0.5⁶ = 97 %.
 */
const AA_ROUNDS = 6;

/** What a promise leaves open beside its SLO and failures: sends, in % of what was due. */
const SENT_PERCENT = 99;
/**
 * The same arguments make the same plan.
 *
 * @throws {UserError} when an override does not fit; exit code 2
 */
export function makePlan(
  battle: Battle,
  overrides: Overrides,
  { proxies, referenceShare = 0, network = "bridge", isSpread, say = () => {} }: Known,
): Plan {
  const wanted = [overrides.proxies ?? battle.proxies].flat();
  const chosen = pickProxies(proxies, wanted);
  const control = pickProxy(proxies, CONTROL);
  if (!chosen.includes(control)) say(`${CONTROL} is added: the control is in every round`);
  const entrants = proxies
    .filter((proxy) => proxy === control || chosen.includes(proxy))
    .flatMap((proxy) => versionsOf(proxy, battle.versions))
    .map((proxy) => ({ name: proxy.name, proxy }));
  const tests = withNetwork(ofEvents(battle, overrides), network, { isSpread });
  const groups = groupNames(proxies);
  const named = wanted.filter((name) => !groups.includes(name));
  if (overrides.events && overrides.proxies)
    refuseLacking(pickProxies(proxies, named), overrides.events, proxies);
  refuseUnableOnNetwork(tests, pickProxies(proxies, named), proxies);
  const versions = versionsIn(battle, chosen);
  const about = { ...battle, versions, tests, referenceShare };
  const plan = planFor(entrants, about, overrides, say);
  return named.length < wanted.length ? withoutUnable(plan, named) : plan;
}

/** @returns of the proxies that take part; undefined: none of them has any */
function versionsIn({ versions = {} }: Battle, chosen: Proxy[]): Versions | undefined {
  const own = chosen.filter(({ name }) => versions[name]).map(({ name }) => [name, versions[name]]);
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/**
 * A proxy against a copy of itself, called `<proxy>-copy`, and the control.
 *
 * @param battle whose tests they are put through
 * @returns of a battle called `aa`
 * @throws {UserError} when the proxy is unknown or an override does not fit; exit code 2
 */
export function makeAaPlan(
  battle: Battle,
  { proxy, overrides }: { proxy: string; overrides: Overrides },
  { proxies, referenceShare = 0, network = "bridge", say = () => {} }: Known,
): Plan {
  const original = pickProxy(proxies, proxy);
  const { name } = original;
  const tests = withNetwork(battle.tests, network);
  refuseUnableOnNetwork(tests, [original], proxies);
  const entrants = pickProxies(proxies, [CONTROL, name]).map((entrant) => ({
    name: entrant.name,
    proxy: entrant,
  }));
  return planFor(
    [...entrants, { name: `${name}-copy`, proxy: original }],
    {
      ...battle,
      tests,
      name: "aa",
      title: `${name} against a copy of itself`,
      published: null,
      rounds: AA_ROUNDS,
      // What it compares is cost, which shows when each is alone.
      sideBySide: false,
      referenceShare,
    },
    overrides,
    say,
  );
}

function planFor(
  entrants: Entrant[],
  battle: Battle & { referenceShare: number },
  overrides: Overrides,
  say: (note: string) => void,
): Plan {
  const { rounds: repeats, seed, proxyCpus } = { ...battle, ...overrides };
  const promise = promiseOf(battle, overrides);
  // The searches have a round of their own before the others.
  const rounds = promise ? repeats + 1 : repeats;
  const events = [...new Set(battle.tests.flatMap((test) => test.events))];
  const notes = new Set<string>();
  const settings = settingsOf(battle.tests, overrides, notes);
  for (const note of notes) say(note);

  const scenarios = Object.fromEntries(
    battle.tests.map(({ scenario }) => [scenario.name, descriptionOf(scenario)]),
  );
  const random = randomNumbers(seed);
  const all = settings.flatMap((setting) => entrants.map((entrant) => ({ entrant, setting })));
  const cells: PlannedCell[] = [];
  for (let round = 1; round <= rounds; round++) {
    // As many digits as the last round has: folders sort as they ran.
    const prefix = `r${String(round).padStart(String(rounds).length, "0")}`;
    const parts = promise ? partsOf(round, promise) : [null];
    const inRound = all
      .filter(({ setting }) => round <= (promise ? setting.rounds + 1 : setting.rounds))
      .flatMap((pair) => parts.map((part) => ({ ...pair, part })));
    for (const { entrant, setting, part } of shuffle(inRound, random) as typeof inRound) {
      const { scenario, scheme, parameters, warmUp, event } = setting;
      const { proxy } = entrant;
      // Nothing is fresh of the control: it ranks nowhere.
      if (part?.factor && proxy.name === CONTROL) continue;
      const workload = workloadOf({ scenarios }, setting);
      const name = [entrant.name, ...settingName(setting, settings, scenarios)].join("-");
      cells.push({
        id: [prefix, name, ...(part ? [part.name] : [])].join("-"),
        round,
        proxy: entrant.name,
        profile: proxy.name,
        scenario,
        scheme,
        parameters,
        warmUp,
        loads: 1,
        observed: true,
        limitSeconds: limitSeconds(part ? longest(workload) : workload, scheme, proxyCpus),
        ...skipOf(setting, proxy, workload),
        ...(event && { event }),
        ...(part && { capacity: capacityPart(part, scenarioOf(battle, scenario), `r1-${name}`) }),
      });
    }
  }
  refuseSameIds(cells);
  const plan: Plan = {
    schema: 2,
    battle: battle.name,
    title: battle.title,
    published: battle.published,
    proxies: entrants.map(({ name }) => name),
    rounds,
    seed,
    proxyCpus,
    referenceShare: battle.referenceShare,
    ...(battle.sideBySide && { sideBySide: true }),
    ...(promise && { promise }),
    workers: battle.workers,
    keyType: battle.keyType,
    ...(battle.versions && { versions: battle.versions }),
    ...(events.length > 0 && {
      events: Object.fromEntries(events.map((event) => [event, EVENTS[event].what])),
    }),
    scenarios,
    cells,
  };
  refuseOnHostNetwork(plan);
  if (plan.sideBySide) refuseAlone(plan);
  return plan;
}

/** @returns what is known of it before any machine is looked at */
function skipOf(
  { scenario, control, event }: Setting,
  proxy: Proxy,
  workload: Workload,
): Pick<PlannedCell, "skip" | "skipKind"> {
  if (!control && proxy.name === CONTROL) return skipped("left-out");
  const unable = unableToServe(proxy, scenario, workload) ?? unableOnNetwork(proxy, workload);
  if (unable !== null) return skipped("unable", unable);
  const lack = event && lackFor(proxy, event);
  return lack ? skipped("has-none", lack) : { skip: null };
}

/**
 * @returns with those events only that were asked for
 * @throws {UserError} when one is unknown, or none of this battle's
 */
function ofEvents({ name, tests }: Battle, { events: wanted }: Overrides): Test[] {
  if (!wanted) return tests;
  const known = Object.keys(EVENTS);
  const unknown = wanted.find((event) => !known.includes(event));
  if (unknown !== undefined) {
    throw new UserError(`unknown event: ${unknown}`, `${didYouMean(unknown, known)}${SEE_LIST}`, 2);
  }
  const offered = new Set(tests.flatMap(({ events }) => events));
  const missing = wanted.find((event) => !offered.has(event));
  if (missing !== undefined) {
    throw new UserError(
      `the battle ${name} has no event ${missing}`,
      offered.size > 0
        ? `Its events are: ${[...offered].join(", ")}.`
        : "This battle has no events. Leave --event out, or choose another battle, such as survival.",
      2,
    );
  }
  return tests
    .map((test) => ({ ...test, events: test.events.filter((event) => wanted.includes(event)) }))
    .filter(({ events }) => events.length > 0);
}

/**
 * Who asks for a proxy and an event by name means both together. The control is there in any case.
 *
 * @param proxies all of them
 * @throws {UserError} when one of them cannot be put through any of the events
 */
function refuseLacking(chosen: Proxy[], events: string[], proxies: Proxy[]) {
  for (const proxy of chosen) {
    const lacks = events.map((event) => lackFor(proxy, event));
    if (lacks.includes(null)) continue;
    if (proxy.name === CONTROL && chosen.length > 1) continue;
    const able = proxies
      .filter((other) => events.some((event) => lackFor(other, event) === null))
      .filter(({ serves }) => serves === "websockets")
      .map(({ name }) => name);
    const fact = `${proxy.name} does not support ${events.join(" or ")}: ${lacks[0]}`;
    throw new UserError(
      fact,
      `Leave ${proxy.name} out, or choose another event. Of the folders of proxies/, these can: ${able.join(", ")}.`,
      2,
    );
  }
}

/** @returns null: the battle searches no rate */
function promiseOf({ promise }: Battle, { sloMs = promise?.sloMs }: Overrides): LoadPromise | null {
  if (!promise || sloMs === undefined) return null;
  return {
    sloMs,
    failedPercent: FAILED_LIMIT_PERCENT,
    sentPercent: SENT_PERCENT,
    resolutionPercent: 100 * resolutionOf(promise),
  };
}

/** @returns a step of a search near the limit, as a share of the rate */
export function resolutionOf({
  resolutionPercent = 100 * RESOLUTION,
}: {
  resolutionPercent?: number;
}): number {
  return resolutionPercent / 100;
}

/** factor: of the rate found; null: it searches that */
type Part = { name: string; factor: number | null };

/** @returns of each proxy and setting */
function partsOf(round: number, promise: LoadPromise): Part[] {
  if (round === 1) return [{ name: "search", factor: null }];
  return [
    { name: "at", factor: 1 },
    { name: "above", factor: aboveOf(resolutionOf(promise)) },
  ];
}

/** @param setting id of the search, without the name of its part */
function capacityPart({ factor }: Part, scenario: Scenario, setting: string): CapacityPart {
  if (factor !== null) return { part: "fresh", search: `${setting}-search`, factor };
  const { min = 0, max = Infinity } = scenario.parameters[String(rateName(scenario))];
  return { part: "search", lowest: Math.max(LEAST_RATE, min), highest: max };
}

/** @returns one of its tests' */
function scenarioOf({ tests }: Battle, name: string): Scenario {
  const test = tests.find(({ scenario }) => scenario.name === name);
  if (!test) throw new Error(`${name} is in no test`);
  return test.scenario;
}

/**
 * Who asks for a group of proxies means those that can. That one has no such thing as an event
 * needs is an answer, of one that can do the rest.
 *
 * @param named proxies that were asked for by their names
 * @returns without the cells of others that no machine could run, and without proxies that have no
 *   other; the control stays
 */
function withoutUnable(plan: Plan, named: string[]): Plan {
  const able = new Set(plan.cells.flatMap(({ proxy, skip }) => (skip === null ? proxy : [])));
  const stays = (name: string) => name === CONTROL || able.has(name) || named.includes(name);
  const proxies = plan.proxies.filter(stays);
  const cells = plan.cells.filter((cell) => {
    if (named.includes(cell.proxy)) return true;
    const kind = skipKindOf(cell);
    return kind === "has-none" ? stays(cell.proxy) : kind !== "unable";
  });
  return { ...plan, proxies, cells };
}

/** @returns each once */
function settingsOf(
  tests: Test[],
  { schemes, connections }: Overrides,
  notes: Set<string>,
): Setting[] {
  const settings: Setting[] = [];
  for (const test of tests) {
    const { scenario, rounds, control } = test;
    const lists = connections
      ? { ...test.parameters, ...refuseImpossible(connections, scenario) }
      : test.parameters;
    for (const scheme of schemes ? refuseUnknown(schemes, scenario) : test.schemes) {
      for (const { combination, event } of eventsOfEach(combinations(lists), test.events)) {
        const parameters = lowered(combination, scenario, notes);
        const setting = {
          scenario: scenario.name,
          scheme,
          parameters,
          warmUp: test.warmUp && warmUpOf(test.warmUp, parameters, scenario, notes),
          event,
          rounds,
          control,
        };
        // With --connections, two tests may have become one.
        const shared = { warmUp: null, rounds, control };
        const isSame = (other: Setting) =>
          isDeepStrictEqual({ ...other, ...shared }, { ...setting, ...shared });
        const same = settings.find(isSame);
        if (!same) settings.push(setting);
        else {
          same.rounds = Math.max(same.rounds, rounds);
          same.control ||= control;
        }
      }
    }
  }
  return settings;
}

/**
 * @param events []: the scenario knows none
 * @returns each with each
 */
function eventsOfEach(
  list: Parameters[],
  events: string[],
): { combination: Parameters; event: string | null }[] {
  return list.flatMap((combination) =>
    (events.length > 0 ? events : [null]).map((event) => ({ combination, event })),
  );
}

/** @param wanted on the command line */
function refuseUnknown(wanted: Scheme[], { name, schemes }: Scenario) {
  const unknown = wanted.find((scheme) => !schemes.includes(scheme));
  if (!unknown) return wanted;
  throw new UserError(
    `${name} cannot be run with ${unknown}`,
    `Expected ${schemes.join(" or ")}. Leave the scheme out, or choose another battle.`,
    2,
  );
}

/** @returns by the name of the parameter that says how many there are */
function refuseImpossible(
  connections: number[],
  { name, parameters, parameterNames }: Scenario,
): Record<string, number[]> {
  if (!parameterNames.connections) {
    throw new UserError(
      `--connections: ${name} has no parameter for it`,
      `Expected one that means connections in loadgen/${name}.json. Leave the option out, or choose another battle.`,
      2,
    );
  }
  const { min = 1, max = Infinity, values } = parameters[parameterNames.connections];
  const impossible = connections.find((value) =>
    values ? !values.includes(value) : value < min || value > max,
  );
  if (impossible === undefined) return { [parameterNames.connections]: connections };
  throw new UserError(
    `--connections is ${impossible}`,
    `Expected ${values ? values.join(" or ") : `whole numbers from ${min} to ${max}`}: so ${name} takes them.`,
    2,
  );
}

/**
 * A battle's file holds no impossible combination; fewer connections on the command line may make
 * one.
 *
 * @returns none above the one that limits it
 */
function lowered(parameters: Parameters, scenario: Scenario, notes: Set<string>): Parameters {
  const fitting = { ...parameters };
  for (const { name, limit } of excesses(scenario, parameters)) {
    fitting[name] = parameters[limit];
    notes.add(
      `${name} is lowered from ${parameters[name]} to ${parameters[limit]} where ${limit} is ${parameters[limit]}`,
    );
  }
  return fitting;
}

/**
 * @param parameters of the measured phase
 * @returns those that the battle names, and those that had to be lowered
 */
function warmUpOf(
  differing: Parameters,
  parameters: Parameters,
  scenario: Scenario,
  notes: Set<string>,
): Parameters {
  const all = lowered({ ...parameters, ...differing }, scenario, notes);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => name in differing || value !== parameters[name]),
  );
}

/**
 * @param settings of the whole plan
 * @returns scenario, scheme, and how settings of this scenario differ: `["short-lived",
 *   "wss", "5000"]`. How many connections there are is a bare number, others carry their name:
 *   `messages100`; the event comes last
 */
function settingName(
  { scenario, scheme, parameters, event }: Setting,
  settings: Setting[],
  scenarios: Plan["scenarios"],
): string[] {
  const { connections } = scenarios[scenario].parameterNames;
  const alike = settings.filter((other) => other.scenario === scenario && other.event === event);
  const varying = Object.entries(parameters).filter(([name, value]) =>
    alike.some((other) => other.parameters[name] !== value),
  );
  return [
    scenario,
    scheme,
    ...varying.map(([name, value]) =>
      name === connections ? `${value}` : `${name.toLowerCase().replaceAll("_", "")}${value}`,
    ),
    ...(event ? [event] : []),
  ];
}

function refuseSameIds(cells: PlannedCell[]) {
  const seen: Map<string, PlannedCell> = new Map();
  for (const cell of cells) {
    const other = seen.get(cell.id);
    if (other) {
      throw new UserError(
        `two cells would be called ${cell.id}: ${cell.scenario} on ${cell.proxy}, and ${other.scenario} on ${other.proxy}`,
        "Rename one of those proxies or scenarios.",
        2,
      );
    }
    seen.set(cell.id, cell);
  }
}
