/**
 * From a battle to its plan: every cell, in the order in which they run.
 */
import { isDeepStrictEqual } from "node:util";
import { shuffle } from "simple-statistics";
import { UserError } from "../errors.js";
import { CONTROL, pickProxies } from "./proxies.js";
import { ABOVE } from "../statistics/capacity-search.js";
import { randomNumbers } from "../statistics/random.js";
import { limitSeconds } from "./estimate.js";
import { combinations, descriptionOf, excesses, unableToServe } from "./scenarios.js";
import { withRate } from "./pilot.js";
import { rateName, workloadOf } from "./workload.js";

/**
 * @import { Proxy } from "./proxies.js"
 * @import { CapacityPart, LoadPromise, Parameters, PilotedRate, Plan, PlannedCell, Scheme } from "../record/types.js"
 * @import { Battle, Test } from "./battle.js"
 * @import { Scenario } from "./scenarios.js"
 *
 * @typedef {object} Overrides what the command line changes; what is left out stays as the battle has it
 * @property {"all" | string[]} [proxies]
 * @property {Scheme[]} [schemes] of every test
 * @property {number[]} [connections] of every test
 * @property {number} [rounds]
 * @property {number} [seed]
 * @property {number} [proxyCpus]
 * @property {number} [sloMs] of a battle with a promise
 *
 * @typedef {object} Setting what all proxies are put through alike
 * @property {string} scenario
 * @property {Scheme} scheme
 * @property {Parameters} parameters
 * @property {Parameters | null} warmUp
 *
 * @typedef {object} Known
 * @property {Proxy[]} proxies every folder of proxies/, in its order
 * @property {number} [referenceShare] of the load, where a scenario uses it; left out: 0, there is no reference proxy
 * @property {{run: string, rates: PilotedRate[]}} [piloted] what the pilot of this battle has told; left out: it was not run
 * @property {(note: string) => void} [say] told what is changed beyond what was asked for
 *
 * @typedef {{name: string, profile: string, serves: Proxy["serves"]}} Entrant name: in plan and report; profile: what Compose starts
 */

/** The fewest that give the median a 95 % confidence interval without assuming a distribution: 1 − 2 × 0.5⁶ = 97 %. */
const AA_ROUNDS = 6;

/** What a promise leaves open beside its SLO, in %: failures of what was asked for, and sends of what was due. */
const FAILED_PERCENT = 0.1;
const SENT_PERCENT = 99;
/** A search does not go below this, a second: in the seconds of a probe nothing would be left to judge. */
const LEAST_RATE = 1;

/**
 * The same arguments make the same plan.
 *
 * @param {Battle} battle
 * @param {Overrides} overrides
 * @param {Known} known
 * @returns {Plan}
 * @throws {UserError} when an override does not fit; exit code 2
 */
export function makePlan(
  battle,
  overrides,
  { proxies, referenceShare = 0, piloted, say = () => {} },
) {
  const wanted = overrides.proxies ?? battle.proxies;
  const chosen = wanted === "all" ? proxies : pickProxies(proxies, wanted);
  const [control] = pickProxies(proxies, [CONTROL]);
  if (!chosen.includes(control)) say(`${CONTROL} is added: the control is in every round`);
  const entrants = proxies
    .filter((proxy) => proxy === control || chosen.includes(proxy))
    .map(({ name, serves }) => ({ name, profile: name, serves }));
  const plan = planFor(entrants, { ...battle, referenceShare, piloted }, overrides, say);
  return wanted === "all" ? withoutUnable(plan) : plan;
}

/**
 * A proxy against a copy of itself, called `<proxy>-copy`, and the control.
 *
 * @param {Battle} battle whose tests they are put through
 * @param {{proxy: string, overrides: Overrides}} wanted
 * @param {Known} known
 * @returns {Plan} of a battle called `aa`
 * @throws {UserError} when the proxy is unknown or an override does not fit; exit code 2
 */
export function makeAaPlan(
  battle,
  { proxy, overrides },
  { proxies, referenceShare = 0, say = () => {} },
) {
  const [{ name, serves }] = pickProxies(proxies, [proxy]);
  const entrants = pickProxies(proxies, [...new Set([CONTROL, name])]).map((entrant) => ({
    name: entrant.name,
    profile: entrant.name,
    serves: entrant.serves,
  }));
  return planFor(
    [...entrants, { name: `${name}-copy`, profile: name, serves }],
    {
      ...battle,
      name: "aa",
      title: `${name} against a copy of itself`,
      published: null,
      rounds: AA_ROUNDS,
      referenceShare,
    },
    overrides,
    say,
  );
}

/**
 * @param {Entrant[]} entrants
 * @param {Battle & {referenceShare: number} & Pick<Known, "piloted">} battle
 * @param {Overrides} overrides
 * @param {(note: string) => void} say
 * @returns {Plan}
 */
function planFor(entrants, battle, overrides, say) {
  const { rounds: repeats, seed, proxyCpus } = { ...battle, ...overrides };
  const promise = promiseOf(battle, overrides);
  // The searches have a round of their own before the others.
  const rounds = promise ? repeats + 1 : repeats;
  const notes = new Set();
  const settings = settingsOf(battle.tests, overrides, { notes, rates: battle.piloted?.rates });
  for (const note of notes) say(note);

  const scenarios = Object.fromEntries(
    battle.tests.map(({ scenario }) => [scenario.name, descriptionOf(scenario)]),
  );
  const random = randomNumbers(seed);
  const all = settings.flatMap((setting) => entrants.map((entrant) => ({ entrant, setting })));
  /** @type {PlannedCell[]} */
  const cells = [];
  for (let round = 1; round <= rounds; round++) {
    // As many digits as the last round has: folders sort as they ran.
    const prefix = `r${String(round).padStart(String(rounds).length, "0")}`;
    const parts = promise ? partsOf(round) : [null];
    const inRound = all.flatMap((pair) => parts.map((part) => ({ ...pair, part })));
    for (const { entrant, setting, part } of /** @type {typeof inRound} */ (
      shuffle(inRound, random)
    )) {
      const { scenario, scheme, parameters, warmUp } = setting;
      const workload = workloadOf({ scenarios }, setting);
      const name = [entrant.name, ...settingName(setting, settings, scenarios)].join("-");
      cells.push({
        id: [prefix, name, ...(part ? [part.name] : [])].join("-"),
        round,
        proxy: entrant.name,
        profile: entrant.profile,
        scenario,
        scheme,
        parameters,
        warmUp,
        loads: 1,
        observed: true,
        limitSeconds: limitSeconds(workload, scheme, proxyCpus),
        skip: unableToServe(entrant, scenario, workload),
        ...(part && { capacity: capacityPart(part, scenarioOf(battle, scenario), `r1-${name}`) }),
      });
    }
  }
  refuseSameIds(cells);
  return {
    schema: 2,
    battle: battle.name,
    title: battle.title,
    published: battle.published,
    proxies: entrants.map(({ name }) => name),
    rounds,
    seed,
    proxyCpus,
    referenceShare: battle.referenceShare,
    ...(promise && { promise }),
    workers: battle.workers,
    keyType: battle.keyType,
    ...(battle.pilot && {
      pilot: { ...battle.pilot, run: null, rates: [], ...battle.piloted },
    }),
    scenarios,
    cells,
  };
}

/**
 * @param {Battle} battle
 * @param {Overrides} overrides
 * @returns {LoadPromise | null} null: the battle searches no rate
 */
function promiseOf({ promise }, { sloMs = promise?.sloMs }) {
  if (!promise || sloMs === undefined) return null;
  return { sloMs, failedPercent: FAILED_PERCENT, sentPercent: SENT_PERCENT };
}

/**
 * @typedef {{name: string, factor: number | null}} Part factor: of the rate found; null: it searches that
 *
 * @param {number} round
 * @returns {Part[]} of each proxy and setting
 */
function partsOf(round) {
  if (round === 1) return [{ name: "search", factor: null }];
  return [
    { name: "at", factor: 1 },
    { name: "above", factor: ABOVE },
  ];
}

/**
 * @param {Part} part
 * @param {Scenario} scenario
 * @param {string} setting id of the search, without the name of its part
 * @returns {CapacityPart}
 */
function capacityPart({ factor }, scenario, setting) {
  if (factor !== null) return { part: "fresh", search: `${setting}-search`, factor };
  const { min = 0, max = Infinity } = scenario.parameters[String(rateName(scenario))];
  return { part: "search", lowest: Math.max(LEAST_RATE, min), highest: max };
}

/**
 * @param {Battle} battle
 * @param {string} name
 * @returns {Scenario} one of its tests'
 */
function scenarioOf({ tests }, name) {
  const test = tests.find(({ scenario }) => scenario.name === name);
  if (!test) throw new Error(`${name} is in no test`);
  return test.scenario;
}

/**
 * Who asks for all proxies means those that can.
 *
 * @param {Plan} plan
 * @returns {Plan} without the cells that no machine could run, and without proxies that have no other; the control stays
 */
function withoutUnable(plan) {
  const cells = plan.cells.filter(({ skip }) => skip === null);
  const proxies = plan.proxies.filter(
    (name) => name === CONTROL || cells.some(({ proxy }) => proxy === name),
  );
  return { ...plan, proxies, cells };
}

/**
 * @param {Test[]} tests
 * @param {Overrides} overrides
 * @param {{notes: Set<string>, rates?: PilotedRate[]}} about rates: those that were piloted
 * @returns {Setting[]} each once
 */
function settingsOf(tests, { schemes, connections }, { notes, rates }) {
  /** @type {Setting[]} */
  const settings = [];
  for (const test of tests) {
    const { scenario } = test;
    const lists = connections
      ? { ...test.parameters, ...refuseImpossible(connections, scenario) }
      : test.parameters;
    for (const scheme of schemes ? refuseUnknown(schemes, scenario) : test.schemes) {
      for (const combination of combinations(lists)) {
        const fitting = lowered(combination, scenario, notes);
        const parameters =
          rates && test.isPiloted
            ? withRate(rates, { scenario, scheme, parameters: fitting })
            : fitting;
        const setting = {
          scenario: scenario.name,
          scheme,
          parameters,
          warmUp: test.warmUp && warmUpOf(test.warmUp, parameters, scenario, notes),
        };
        // With --connections, two tests may have become one.
        const isSame = (/** @type {Setting} */ other) =>
          isDeepStrictEqual({ ...other, warmUp: null }, { ...setting, warmUp: null });
        if (!settings.some(isSame)) settings.push(setting);
      }
    }
  }
  return settings;
}

/**
 * @param {Scheme[]} wanted on the command line
 * @param {Scenario} scenario
 */
function refuseUnknown(wanted, { name, schemes }) {
  const unknown = wanted.find((scheme) => !schemes.includes(scheme));
  if (!unknown) return wanted;
  throw new UserError(
    `${name} cannot be run with ${unknown}`,
    `Expected ${schemes.join(" or ")}. Leave the scheme out, or choose another battle.`,
    2,
  );
}

/**
 * @param {number[]} connections
 * @param {Scenario} scenario
 * @returns {Record<string, number[]>} by the name of the parameter that says how many there are
 */
function refuseImpossible(connections, { name, parameters, parameterNames }) {
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
 * A battle's file holds no impossible combination; fewer connections on the command line may make one.
 *
 * @param {Parameters} parameters
 * @param {Scenario} scenario
 * @param {Set<string>} notes
 * @returns {Parameters} none above the one that limits it
 */
function lowered(parameters, scenario, notes) {
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
 * @param {Parameters} differing
 * @param {Parameters} parameters of the measured phase
 * @param {Scenario} scenario
 * @param {Set<string>} notes
 * @returns {Parameters} those that the battle names, and those that had to be lowered
 */
function warmUpOf(differing, parameters, scenario, notes) {
  const all = lowered({ ...parameters, ...differing }, scenario, notes);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => name in differing || value !== parameters[name]),
  );
}

/**
 * @param {Setting} setting
 * @param {Setting[]} settings of the whole plan
 * @param {Plan["scenarios"]} scenarios
 * @returns {string[]} scenario, scheme, and what tells settings of this scenario apart: `["short-lived", "wss", "5000"]`.
 *   How many connections there are is a bare number, others carry their name: `messages100`
 */
function settingName({ scenario, scheme, parameters }, settings, scenarios) {
  const { connections } = scenarios[scenario].parameterNames;
  const alike = settings.filter((other) => other.scenario === scenario);
  const varying = Object.entries(parameters).filter(([name, value]) =>
    alike.some((other) => other.parameters[name] !== value),
  );
  return [
    scenario,
    scheme,
    ...varying.map(([name, value]) =>
      name === connections ? `${value}` : `${name.toLowerCase().replaceAll("_", "")}${value}`,
    ),
  ];
}

/** @param {PlannedCell[]} cells */
function refuseSameIds(cells) {
  /** @type {Map<string, PlannedCell>} */
  const seen = new Map();
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
