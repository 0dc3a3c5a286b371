/**
 * Battles: the files of battles/, read and checked.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { didYouMean, UserError } from "../errors.js";
import schema from "./battle.schema.json" with { type: "json" };
import { Document } from "./document.js";
import { NOTHING, secondsOf } from "./events.js";
import { onNetworks } from "./network.js";
import { groupNames, knownProxies } from "./proxies.js";
import {
  combinations,
  defaults,
  descriptionOf,
  excesses,
  parametersSchema,
  readScenario,
  scenarioNames,
} from "./scenarios.js";
import { isReadAfter, isSoak, rateName, SOAK_SECONDS, workload } from "./workload.js";

/**
 * @import { Parameters, Scheme, Workload } from "../model/plan.ts"
 * @import { Path } from "./document.js"
 * @import { Network } from "./network.js"
 * @import { Proxy } from "./proxies.js"
 * @import { Scenario } from "./scenarios.js"
 *
 * @typedef {object} Test
 * @property {Scenario} scenario
 * @property {Scheme[]} schemes
 * @property {Record<string, number[]>} parameters all that the scenario has, each with its values
 * @property {Parameters | null} warmUp those that differ while warming up; null: no warm-up
 * @property {string[]} events a cell of each; []: its scenario knows none
 * @property {number} rounds of the battle's, the first so many; Infinity: all
 * @property {boolean} control takes part
 * @property {boolean} isPiloted its rate is computed at the start of a run; until then it is the scenario's default
 *
 * @typedef {object} Battle what its file says; battle.schema.json describes each key
 * @property {string} name of the file, without its ending
 * @property {string} title
 * @property {string | null} published
 * @property {string | string[]} proxies a group, or a list of proxies and groups
 * @property {number} rounds
 * @property {number} seed
 * @property {number} proxyCpus
 * @property {number | null} workers
 * @property {boolean} sideBySide all proxies of a setting and round run at once
 * @property {{sloMs: number, resolutionPercent?: number} | null} promise
 * @property {"ecdsa" | "rsa"} keyType
 * @property {{busyPercent: number} | null} pilot null: its tests say their rates
 * @property {Test[]} tests
 *
 * @typedef {object} TestInFile
 * @property {string} scenario
 * @property {Scheme[]} schemes
 * @property {Record<string, number | number[]>} [parameters]
 * @property {Parameters} [warmUp]
 * @property {string[]} [events]
 * @property {Network[]} [network]
 * @property {number} [rounds]
 * @property {boolean} [control]
 *
 * @typedef {Partial<Omit<Battle, "tests">> & Pick<Battle, "title" | "proxies" | "rounds" | "seed"> & {tests: TestInFile[]}} BattleInFile
 */

const ENDING = ".yaml";

/**
 * @param {string} directory the project's
 * @returns {string[]} sorted
 */
export function battleNames(directory) {
  return namesIn(join(directory, "battles"));
}

/**
 * @param {string} directory the project's
 * @param {string} name of a file of battles/, without its ending
 * @param {{proxies: Pick<Proxy, "name" | "groups">[]}} known every folder of proxies/
 * @returns {Battle}
 * @throws {UserError} with file, line, what was expected and the nearest name; exit code 2
 */
export function readBattle(directory, name, { proxies }) {
  const names = battleNames(directory);
  if (!names.includes(name)) {
    throw new UserError(
      `unknown battle: ${name}`,
      `${didYouMean(basename(name, ENDING), names)}The files of battles/ are: ${names.join(", ")}.`,
      2,
    );
  }
  const label = `battles/${name}${ENDING}`;
  const document = new Document(join(directory, label), label);
  document.check(schema);
  const content = /** @type {BattleInFile} */ (document.value);
  refuseUnknownNames(document, content, directory, proxies);

  const tests = content.tests
    .map((test, i) => readTest(document, test, i, directory))
    .map((test, i) => ({
      ...test,
      isPiloted: Boolean(content.pilot) && lacksRate(test.scenario, content.tests[i]),
    }));
  if (content.pilot && !tests.some(({ isPiloted }) => isPiloted)) {
    throw document.mistake(
      ["pilot"],
      "there is no rate to compute",
      "Expected a test of an open loop that leaves its rate out, such as CONNECTIONS_PER_SECOND of arrivals.",
    );
  }
  refuseTooManyRounds(document, content);
  refuseRepeatedCells(document, tests);
  if (content.promise) refuseWithoutRate(document, tests);
  if (content.sideBySide) refuseBeside(document, content, tests);
  return {
    published: null,
    proxyCpus: 0,
    workers: null,
    sideBySide: false,
    promise: null,
    keyType: "ecdsa",
    pilot: null,
    ...content,
    name,
    tests,
  };
}

/**
 * @param {Document} document
 * @param {BattleInFile} content
 * @param {string} directory
 * @param {Pick<Proxy, "name" | "groups">[]} proxies
 */
function refuseUnknownNames(document, content, directory, proxies) {
  /** @type {(path: Path, name: string, kind: string, place: string, known: string[]) => void} */
  const expectKnown = (path, name, kind, place, known) => {
    if (known.includes(name)) return;
    throw document.mistake(
      path,
      `unknown ${kind} "${name}"`,
      `${didYouMean(name, known)}${place}: ${known.join(", ") || "none yet"}.`,
    );
  };
  if (content.published) {
    expectKnown(
      ["published"],
      content.published,
      "published study",
      "The files of battles/published/ are",
      namesIn(join(directory, "battles/published")),
    );
  }
  refuseUnknownProxies(document, content.proxies, proxies);
  const scenarios = scenarioNames(directory);
  for (const [i, { scenario }] of content.tests.entries()) {
    const path = ["tests", i, "scenario"];
    expectKnown(path, scenario, "scenario", "The scripts of loadgen/ are", scenarios);
  }
}

/**
 * @param {Document} document
 * @param {string | string[]} wanted
 * @param {Pick<Proxy, "name" | "groups">[]} proxies
 */
function refuseUnknownProxies(document, wanted, proxies) {
  const groups = groupNames(proxies);
  if (typeof wanted === "string") {
    if (groups.includes(wanted)) return;
    throw document.mistake(
      ["proxies"],
      `unknown group of proxies "${wanted}"`,
      `${didYouMean(wanted, groups)}Groups: ${groups.join(", ")}. Expected one of them, or a list such as [nginx, haproxy].`,
    );
  }
  const known = [...proxies.map(({ name }) => name), ...groups];
  for (const [i, name] of wanted.entries()) {
    if (known.includes(name)) continue;
    throw document.mistake(["proxies", i], `unknown proxy "${name}"`, knownProxies(proxies, name));
  }
}

/**
 * @param {Document} document
 * @param {TestInFile} test
 * @param {number} i its place in the list
 * @param {string} directory
 * @returns {Omit<Test, "isPiloted">}
 */
function readTest(document, test, i, directory) {
  const { scenario: name, schemes, parameters = {}, warmUp } = test;
  const { rounds = Infinity, control = true } = test;
  const scenario = readScenario(directory, name);
  const path = ["tests", i];
  for (const [place, scheme] of schemes.entries()) {
    if (scenario.schemes.includes(scheme)) continue;
    throw document.mistake(
      [...path, "schemes", place],
      `${name} cannot be run with ${scheme}`,
      `Expected ${scenario.schemes.join(" or ")}: so says loadgen/${name}.json.`,
    );
  }
  document.check(parametersSchema(scenario, { lists: true }), [...path, "parameters"]);
  document.check(parametersSchema(scenario, { lists: false }), [...path, "warmUp"]);
  const lists = Object.fromEntries(
    Object.entries({ ...defaults(scenario), ...parameters }).map(([key, value]) => [
      key,
      [value].flat(),
    ]),
  );
  /** @type {(place: string, given: object, all: Parameters) => void} */
  const refuseExcess = (place, given, all) => {
    const [excess] = excesses(scenario, all);
    if (!excess) return;
    // The default is not what the user wrote: point at what is in the file.
    const { name, limit } = excess;
    throw document.mistake(
      [...path, place, name in given ? name : limit],
      `${name} is ${all[name]}, above ${limit}, which is ${all[limit]}`,
      `Expected ${name} to be at most ${limit}${place === "warmUp" ? ", in the warm-up too" : " in every combination"}.`,
    );
  };
  for (const combination of combinations(lists)) {
    refuseExcess("parameters", parameters, combination);
    if (warmUp) refuseExcess("warmUp", warmUp, { ...combination, ...warmUp });
  }
  const events = eventsOf(document, test.events, { scenario, lists, path });
  const read = {
    ...{ scenario, schemes, parameters: lists, warmUp: warmUp ?? null },
    ...{ events, rounds, control },
  };
  return test.network ? onNetworks(read, test.network) : read;
}

/**
 * @param {Document} document
 * @param {string[] | undefined} listed
 * @param {{scenario: Scenario, lists: Record<string, number[]>, path: Path}} test path: where it is in the document
 * @returns {string[]} []: its scenario knows none
 */
function eventsOf(document, listed, { scenario, lists, path }) {
  const { quietSeconds, watchSeconds } = scenario.parameterNames;
  if (!quietSeconds || !watchSeconds) {
    if (!listed) return [];
    throw document.mistake(
      [...path, "events"],
      `${scenario.name} cannot be put through events`,
      "Expected a scenario with parameters that mean quietSeconds and watchSeconds, such as survive.",
    );
  }
  const events = listed ?? [NOTHING];
  const shortest = Math.min(...lists[watchSeconds]);
  const tooLong = events.find((event) => secondsOf(event) >= shortest);
  if (!tooLong) return events;
  throw document.mistake(
    [...path, "events", events.indexOf(tooLong)],
    `${tooLong} takes ${secondsOf(tooLong)} s, and ${watchSeconds} is ${shortest}`,
    `Expected ${watchSeconds} to be longer, in every combination.`,
  );
}

/**
 * @param {Scenario} scenario
 * @param {TestInFile} test
 * @returns {boolean} it is an open loop at a rate, and its test does not say which
 */
function lacksRate(scenario, { parameters = {} }) {
  const name = rateName(scenario);
  return name !== null && !(name in parameters);
}

/**
 * @param {Document} document
 * @param {Test[]} tests of a battle that searches a rate
 */
function refuseWithoutRate(document, tests) {
  for (const [i, { scenario }] of tests.entries()) {
    if (rateName(scenario) !== null) continue;
    throw document.mistake(
      ["tests", i, "scenario"],
      `${scenario.name} has no rate of WebSockets or messages to search`,
      "Expected an open loop over WebSockets, such as arrivals or steady; or leave promise out.",
    );
  }
}

/**
 * @param {Document} document
 * @param {BattleInFile} content of a battle whose proxies run side by side
 * @param {Test[]} tests
 */
function refuseBeside(document, { proxyCpus = 0, promise, tests: listed }, tests) {
  for (const [name, isGiven] of [
    ["promise", promise !== undefined],
    ["proxyCpus", proxyCpus > 0],
  ]) {
    if (!isGiven) continue;
    throw document.mistake(
      [String(name)],
      `${name} is given, and the proxies run side by side`,
      "Expected one of the two: what a proxy carries, or how long it takes, shows only when it is alone.",
    );
  }
  for (const [i, { scenario, parameters }] of tests.entries()) {
    const description = descriptionOf(scenario);
    const tellsBeside = (/** @type {Workload} */ load) =>
      isSoak(load) || (load.loop === "open" && isReadAfter(load));
    if (!combinations(parameters).every((all) => tellsBeside(workload(description, all)))) {
      throw document.mistake(
        ["tests", i],
        `${scenario.name} asks neither what grows in ${SOAK_SECONDS} s or more of a steady load nor what is left after a set rate, and the proxies run side by side`,
        "Expected one of the two in every combination, such as steady or churn; or leave sideBySide out.",
      );
    }
    if (listed[i].network?.includes("host")) {
      throw document.mistake(
        ["tests", i, "network"],
        "the proxies run side by side, and the machine's own network has each port once",
        "Expected [bridge], or sideBySide left out.",
      );
    }
  }
}

/**
 * @param {Document} document
 * @param {BattleInFile} content
 */
function refuseTooManyRounds(document, { rounds, tests }) {
  const i = tests.findIndex((test) => (test.rounds ?? 0) > rounds);
  if (i < 0) return;
  throw document.mistake(
    ["tests", i, "rounds"],
    `rounds of a test is ${tests[i].rounds}, and the battle has ${rounds}`,
    "Expected at most the battle's: its first so many are those of the test.",
  );
}

/**
 * @param {Document} document
 * @param {Test[]} tests
 */
function refuseRepeatedCells(document, tests) {
  /** @type {object[]} */
  const seen = [];
  for (const [i, { scenario, schemes, parameters, events }] of tests.entries()) {
    const cells = combinations(parameters).flatMap((combination) =>
      schemes.flatMap((scheme) =>
        (events.length > 0 ? events : [null]).map((event) => ({ combination, scheme, event })),
      ),
    );
    for (const { combination, scheme, event } of cells) {
      const cell = { scenario: scenario.name, scheme, combination, event };
      if (seen.some((other) => isDeepStrictEqual(other, cell))) {
        const what = [scenario.name, scheme, ...(event ? [event] : [])].join(", ");
        throw document.mistake(
          ["tests", i],
          `${what}, with the same parameters is in an earlier test too`,
          "Expected each once: rounds say how often a cell is run.",
        );
      }
      seen.push(cell);
    }
  }
}

/**
 * @param {string} folder
 * @returns {string[]} of its YAML files, without their ending; sorted
 */
function namesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => basename(file, ENDING))
    .sort();
}
