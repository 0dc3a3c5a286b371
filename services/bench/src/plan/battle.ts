/**
 * Battles: the files of battles/, read and checked.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { didYouMean, SEE_LIST, UserError } from "../errors.ts";
import schema from "./battle.schema.json" with { type: "json" };
import { Document } from "./document.ts";
import { EVENTS, NOTHING, secondsOf } from "./events.ts";
import { onNetworks } from "./network.ts";
import { groupNames, knownProxies } from "./proxies.ts";
import {
  combinations,
  defaults,
  descriptionOf,
  excesses,
  parametersSchema,
  readScenario,
  scenarioNames,
} from "./scenarios.ts";
import { isReadAfter, isSoak, rateName, SOAK_SECONDS, workload } from "./workload.ts";
import type { Parameters, Scheme, Versions, Workload } from "../model/plan.ts";
import type { Path } from "./document.ts";
import type { Network } from "./network.ts";
import type { Proxy } from "./proxies.ts";
import type { Scenario } from "./scenarios.ts";

export interface Test {
  scenario: Scenario;
  schemes: Scheme[];
  /** all that the scenario has, each with its values */
  parameters: Record<string, number[]>;
  /** those that differ while warming up; null: no warm-up */
  warmUp: Parameters | null;
  /** a cell of each; []: its scenario knows none */
  events: string[];
  /** how many of the battle's, from the first; Infinity: all */
  rounds: number;
  /** takes part */
  control: boolean;
}

/** what its file says; battle.schema.json describes each key */
export interface Battle {
  /** of the file, without its ending */
  name: string;
  title: string;
  published: string | null;
  /** a group, or a list of proxies and groups */
  proxies: string | string[];
  rounds: number;
  seed: number;
  proxyCpus: number;
  workers: number | null;
  /** all proxies of a setting and round run at once */
  sideBySide: boolean;
  promise: { sloMs: number; resolutionPercent?: number } | null;
  keyType: "ecdsa" | "rsa";
  tests: Test[];
  /** of proxies that take part in several versions, the oldest first; left out: none does */
  versions?: Versions;
}

interface TestInFile {
  scenario: string;
  schemes: Scheme[];
  parameters?: Record<string, number | number[]>;
  warmUp?: Parameters;
  events?: string[];
  network?: Network[];
  rounds?: number;
  control?: boolean;
}

type BattleInFile = Partial<Omit<Battle, "tests">> &
  Pick<Battle, "title" | "proxies" | "rounds" | "seed"> & { tests: TestInFile[] };

const ENDING = ".yaml";

/**
 * @param directory the project's
 * @returns sorted
 */
export function battleNames(directory: string): string[] {
  return namesIn(join(directory, "battles"));
}

/**
 * @param directory the project's
 * @param name of a file of battles/, without its ending
 * @param known every folder of proxies/
 * @throws {UserError} with file, line, what was expected and the nearest name; exit code 2
 */
export function readBattle(
  directory: string,
  name: string,
  { proxies }: { proxies: Pick<Proxy, "name" | "groups">[] },
): Battle {
  const names = battleNames(directory);
  if (!names.includes(name)) {
    throw new UserError(
      `unknown battle: ${name}`,
      `${didYouMean(basename(name, ENDING), names)}${SEE_LIST}`,
      2,
    );
  }
  const label = `battles/${name}${ENDING}`;
  const document = new Document(join(directory, label), label);
  document.check(schema);
  const content = document.value as BattleInFile;
  refuseUnknownNames(document, content, directory, proxies);

  const tests = content.tests.map((test, i) => readTest(document, test, i, directory));
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
    ...content,
    name,
    tests,
  };
}

function refuseUnknownNames(
  document: Document,
  content: BattleInFile,
  directory: string,
  proxies: Pick<Proxy, "name" | "groups">[],
) {
  const expectKnown: (
    path: Path,
    name: string,
    kind: string,
    place: string,
    known: string[],
  ) => void = (path, name, kind, place, known) => {
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
  for (const name of Object.keys(content.versions ?? {})) {
    if (proxies.some((proxy) => proxy.name === name)) continue;
    throw document.mistake(
      ["versions", name],
      `unknown proxy "${name}"`,
      knownProxies(proxies, name),
    );
  }
  const scenarios = scenarioNames(directory);
  for (const [i, { scenario }] of content.tests.entries()) {
    const path = ["tests", i, "scenario"];
    expectKnown(path, scenario, "scenario", "The scripts of loadgen/ are", scenarios);
  }
}

function refuseUnknownProxies(
  document: Document,
  wanted: string | string[],
  proxies: Pick<Proxy, "name" | "groups">[],
) {
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

/** @param i its place in the list */
function readTest(document: Document, test: TestInFile, i: number, directory: string): Test {
  const { scenario: name, schemes, parameters = {}, warmUp } = test;
  const { rounds = Infinity, control = true } = test;
  const scenario = readScenario(directory, name);
  const path = ["tests", i];
  for (const [place, scheme] of schemes.entries()) {
    if (scenario.schemes.includes(scheme)) continue;
    throw document.mistake(
      [...path, "schemes", place],
      `${name} cannot be run with ${scheme}`,
      `Expected ${scenario.schemes.join(" or ")}, says loadgen/${name}.json.`,
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
  const refuseExcess: (place: string, given: object, all: Parameters) => void = (
    place,
    given,
    all,
  ) => {
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
  const events = eventsOf(document, test.events, { scenario, schemes, lists, path });
  const read = {
    ...{ scenario, schemes, parameters: lists, warmUp: warmUp ?? null },
    ...{ events, rounds, control },
  };
  return test.network ? onNetworks(read, test.network) : read;
}

/**
 * @param test path: where it is in the document
 * @returns []: its scenario knows none
 */
function eventsOf(
  document: Document,
  listed: string[] | undefined,
  {
    scenario,
    schemes,
    lists,
    path,
  }: { scenario: Scenario; schemes: Scheme[]; lists: Record<string, number[]>; path: Path },
): string[] {
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
  const ofTls = events.find((event) => EVENTS[event].certificate);
  if (ofTls && schemes.includes("ws"))
    throw document.mistake(
      [...path, "events", events.indexOf(ofTls)],
      `${ofTls} renews a certificate, which ws has not`,
      "Expected schemes: [wss].",
    );
  const shortest = Math.min(...lists[watchSeconds]);
  const tooLong = events.find((event) => secondsOf(event) >= shortest);
  if (!tooLong) return events;
  throw document.mistake(
    [...path, "events", events.indexOf(tooLong)],
    `${tooLong} takes ${secondsOf(tooLong)} s, and ${watchSeconds} is ${shortest}`,
    `Expected ${watchSeconds} to be longer, in every combination.`,
  );
}

/** @param tests of a battle that searches a rate */
function refuseWithoutRate(document: Document, tests: Test[]) {
  for (const [i, { scenario }] of tests.entries()) {
    if (rateName(scenario) !== null) continue;
    throw document.mistake(
      ["tests", i, "scenario"],
      `${scenario.name} has no rate of WebSockets or messages to search`,
      "Expected an open loop over WebSockets, such as arrivals or steady; or leave promise out.",
    );
  }
}

/** @param content of a battle whose proxies run side by side */
function refuseBeside(
  document: Document,
  { proxyCpus = 0, promise, tests: listed }: BattleInFile,
  tests: Test[],
) {
  for (const [name, isGiven] of [
    ["promise", promise !== undefined],
    ["proxyCpus", proxyCpus > 0],
  ]) {
    if (!isGiven) continue;
    throw document.mistake(
      [String(name)],
      `${name} is given, and the proxies run side by side`,
      "Expected one of the two: only a proxy that runs alone shows what it carries, or how long it takes.",
    );
  }
  for (const [i, { scenario, parameters }] of tests.entries()) {
    const description = descriptionOf(scenario);
    const tellsBeside = (load: Workload) =>
      isSoak(load) || (load.loop === "open" && isReadAfter(load));
    if (!combinations(parameters).every((all) => tellsBeside(workload(description, all)))) {
      throw document.mistake(
        ["tests", i],
        `${scenario.name} measures neither growth over ${SOAK_SECONDS} s or more of a steady load nor what is left after a set rate, and the proxies run side by side`,
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

function refuseTooManyRounds(document: Document, { rounds, tests }: BattleInFile) {
  const i = tests.findIndex((test) => (test.rounds ?? 0) > rounds);
  if (i < 0) return;
  throw document.mistake(
    ["tests", i, "rounds"],
    `rounds of a test is ${tests[i].rounds}, and the battle has ${rounds}`,
    "Expected at most the battle's: a test has its first rounds.",
  );
}

function refuseRepeatedCells(document: Document, tests: Test[]) {
  const seen: object[] = [];
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
          "Expected each once: rounds set how often a cell runs.",
        );
      }
      seen.push(cell);
    }
  }
}

/** @returns of its YAML files, without their ending; sorted */
function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => basename(file, ENDING))
    .sort();
}
