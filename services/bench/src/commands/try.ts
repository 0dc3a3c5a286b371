/**
 * `try`: a user's configuration beside a baseline. First what differs in what they do, then what
 * they cost, in the same rounds.
 */
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import {
  inProject,
  isOneContainer,
  refuseUnplaced,
  writeCompose,
  writeFolder,
} from "../adapt/index.ts";
import { against, judgeAll } from "../analyse/against.ts";
import { formatResult } from "../conformance/index.ts";
import { UserError } from "../errors.ts";
import { readLimits } from "../machine/limits.ts";
import { readBattle } from "../plan/battle.ts";
import { readNetwork, readReferenceShare } from "../plan/knobs.ts";
import { makePlan } from "../plan/plan.ts";
import { CONTROL, pickProxy, readProxies } from "../plan/proxies.ts";
import { Project } from "../platform/compose.ts";
import { run as runProgram } from "../platform/subprocess.ts";
import { heading } from "../report/block.ts";
import { markdownOf } from "../report/markdown.ts";
import { listed, toldText, tryTable, verdictText } from "../report/try-text.ts";
import { refuseSecond } from "../run/lock.ts";
import { writeReport } from "./report.ts";
import { begin, INTERRUPTED } from "./run.ts";
import { setup, unavailableProxies } from "./setup.ts";
import { differencesOf, lackingIn, matrixFor, tellDifferences, verifyBoth } from "./try-checks.ts";
import { BASELINE, commonSchemes, entrants, OWN } from "./try-entrants.ts";
import { connectionTest, HALF, messagesTest, turnsWith } from "./turns.ts";
import type { Tried } from "../adapt/index.ts";
import type { Against, Judged } from "../analyse/against.ts";
import type { Comparisons } from "../model/comparison.ts";
import type { Scheme } from "../model/plan.ts";
import type { Tell, Told } from "../report/try-text.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { TryArguments } from "./definitions/try.ts";
import type { Test } from "./turns.ts";

const BATTLE = "try";
/** Every engine grants these, where its limit is unknown. */
const FEWEST_OPEN_FILES = 1024;

/** The fewest that give a ratio of medians its 95 % interval: where the two cannot have turns. */
const FEWEST_ROUNDS = 6;

const STATUS: Record<Judged, number> = { "not-worse": 0, worse: 1, open: 3 };

/** Small enough for 5 minutes on 2 cores with one measure; rounds: unless given. */
const MEASURED: Record<
  TryArguments["measures"][number],
  { questions: string[]; rounds: number; tests: (schemes: Scheme[]) => Test[] }
> = {
  cpu: {
    questions: ["baseline", "cpu_us_per_connection"],
    rounds: 4,
    tests: (schemes) => [...schemes.map(connectionTest), messagesTest(schemes[0])],
  },
  latency: {
    questions: ["handshake-at-rate", "echo-at-rate"],
    rounds: 6,
    tests: ([scheme]) => [
      {
        scenario: "arrivals",
        schemes: [scheme],
        parameters: { CONNECTIONS_PER_SECOND: 100, ARRIVE_SECONDS: 10, MESSAGES: 1 },
        warmUp: { ARRIVE_SECONDS: 2 },
      },
      {
        scenario: "steady",
        schemes: [scheme],
        parameters: { CONNECTIONS: 100, MESSAGES_PER_SECOND: 500, STEADY_SECONDS: 8 },
        warmUp: { STEADY_SECONDS: 1 },
      },
    ],
  },
  memory: {
    questions: ["memory-per-connection"],
    rounds: 2,
    tests: ([scheme]) => [
      {
        scenario: "idle",
        schemes: [scheme],
        control: false,
        parameters: {
          CONNECTIONS: [200, 400, 600, 800, 1000],
          HOLD_SECONDS: 8,
          INTERVAL_SECONDS: 5,
        },
        warmUp: { CONNECTIONS: 100, HOLD_SECONDS: 2, INTERVAL_SECONDS: 0.2 },
      },
    ],
  },
  reload: {
    questions: ["lost", "failed"],
    rounds: 3,
    tests: ([scheme]) => [
      {
        scenario: "survive",
        schemes: [scheme],
        events: ["reload"],
        control: false,
        parameters: { CONNECTIONS: 500, QUIET_SECONDS: 3, WATCH_SECONDS: 12, TIMEOUT_SECONDS: 5 },
      },
    ],
  },
};

interface Out {
  say: (line: string) => void;
  print: (line: string) => void;
}

/**
 * @param directory the project's
 * @param words of the command line, for the record
 * @returns exit status: 0 no worse, 1 worse, 3 could not tell
 */
export async function tryConfig(
  directory: string,
  wanted: TryArguments,
  out: Out,
  words: string[],
): Promise<number> {
  const told: Told[][] = [];
  const tell: Tell = (part) => {
    const isText = !wanted.json && !wanted.markdown;
    if (isText) out.print(`${told.length > 0 ? "\n" : ""}${toldText(part)}`);
    told.push(part);
  };
  try {
    return await tryTelling(directory, wanted, { ...out, tell }, words);
  } catch (error) {
    if (error instanceof UserError) told.push(listed(error.message, error.next.split("\n")));
    throw error;
  } finally {
    // A page is read from its top: first what came out, last what was changed.
    if (wanted.markdown) out.print(markdownOf(told.reverse().flat()).trimEnd());
  }
}

async function tryTelling(
  directory: string,
  wanted: TryArguments,
  out: Out & { tell: Tell },
  words: string[],
): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const original = pickProxy(proxies, wanted.proxy);
  const { tried, baseline } = await entrants(wanted, original, proxies).finally(() =>
    // Of a git revision: ./bench has put it there (../../host/try.sh).
    rmSync(join(directory, ".bench/against"), { recursive: true, force: true }),
  );
  refuseUnplaced(
    wanted.set,
    tried.map(({ adapted }) => adapted),
  );
  const schemes = commonSchemes(tried, baseline, proxies);
  for (const one of tried) tellChanges(one, out.tell);
  await refuseSecond(directory);
  const folder = baseline === BASELINE ? original.name : baseline;
  await setup(directory, out.say, { proxies: [folder] });
  const names = { own: OWN, baseline, inTurns: isOneContainer(directory, folder) };
  const battle = battleOf(wanted, names, schemes);
  const added = tried.map(({ name }) => name);
  const made = { added, battle, baseline: names.inTurns ? baseline : null };
  return inProject(directory, made, async (project) => {
    for (const one of tried) writeFolder(project, one);
    // The local builds that it names are the project's, and were named above.
    await setup(project, () => {});
    await prepare(project, tried);
    return compare({ directory, project }, names, wanted, out, words);
  });
}

function tellChanges({ adapted, title }: Tried, tell: Tell) {
  const lines = adapted.changes.map(({ file, line, what }) => `${file}:${line}  ${what}`);
  if (lines.length > 0) tell(listed(`${title}: what differs in the copy that runs`, lines));
}

/** The two proxies. */
interface Names {
  own: string;
  baseline: string;
  /** Connections go to one and the other in turns, in the same cell, where only CPU is measured. */
  inTurns: boolean;
}

export function battleOf(
  { measures, rounds, connections }: Pick<TryArguments, "measures" | "rounds" | "connections">,
  { own, baseline, inTurns }: Names,
  schemes: Scheme[],
) {
  const hasOwnCells = !inTurns || measures.some((each) => each !== "cpu");
  const wanted = measures.map((measure) => ({
    ...MEASURED[measure],
    ...(measure === "cpu" && !inTurns && { rounds: FEWEST_ROUNDS }),
  }));
  const most = Math.max(...wanted.map((each) => each.rounds));
  return {
    title: "Your configuration beside a baseline",
    proxies: [CONTROL, own, ...(hasOwnCells ? [baseline] : [])],
    rounds: rounds ?? most,
    seed: 1,
    tests: wanted.flatMap((each) =>
      each
        .tests(schemes)
        .map((test) => ({ ...withConnections(test, connections), rounds: rounds ?? each.rounds })),
    ),
  };
}

/** Not every load has a number of connections: that of a set rate has none. */
function withConnections(test: Test, connections: number[] | undefined): Test {
  const { parameters } = test;
  if (!connections || !("CONNECTIONS" in parameters)) return test;
  const most = { CONCURRENCY: Math.min(Number(parameters.CONCURRENCY), ...connections) };
  return {
    ...test,
    parameters: {
      ...parameters,
      CONNECTIONS: connections,
      ...("CONCURRENCY" in parameters && most),
    },
  };
}

/** Checks that the images are there, and lets those without a shell do without. */
async function prepare(project: string, tried: Tried[]) {
  const config = await new Project(project, { profile: "*" }).config();
  const proxies = readProxies(join(project, "proxies"));
  const unavailable = await unavailableProxies(project, config, proxies);
  for (const one of tried) {
    const why = unavailable.get(one.name);
    if (why)
      throw new UserError(
        why,
        `Expected an image that this machine has, or a registry that answers: docker pull ${one.image ?? ""}`,
      );
    if (one.image === null || (await hasShell(one.image))) continue;
    const { descriptorsPerProcess } = await readLimits();
    writeCompose(project, one, { openFiles: descriptorsPerProcess ?? FEWEST_OPEN_FILES });
  }
}

async function hasShell(image: string): Promise<boolean> {
  const shell = ["--network", "none", "--entrypoint", "sh", image, "-c", ":"];
  return (await runProgram(["docker", "run", "--rm", ...shell])).code === 0;
}

async function compare(
  { directory, project }: { directory: string; project: string },
  names: Names,
  wanted: TryArguments,
  { say, print, tell }: Out & { tell: Tell },
  words: string[],
): Promise<number> {
  const proxies = readProxies(join(project, "proxies"));
  const checked = await verifyBoth(project, names, proxies, { ...wanted, say });
  const differences = differencesOf(checked);
  const titles = [names.own, names.baseline].map((name) => pickProxy(proxies, name).title);
  const matrix = await matrixFor(project, names.own, titles, checked, wanted);
  const finish = (answer: object, status: number) => {
    if (wanted.json) print(JSON.stringify({ ...names, differences, ...answer, status }, null, 1));
    return status;
  };
  const dead = [checked.own, checked.baseline].map((results) => lackingIn(results));
  const i = dead.findIndex(({ length }) => length > 0);
  if (i >= 0) {
    tell(
      listed(`${titles[i]} carries no WebSockets, and is not measured`, dead[i].map(formatResult)),
    );
    tell(matrix);
    return finish({ rows: [] }, STATUS[i === 0 ? "worse" : "open"]);
  }
  tellDifferences(differences, titles, tell);
  tell(matrix);
  const measured = await measure({ directory, project }, names, proxies, words, say);
  if (!measured) return INTERRUPTED;
  const { comparisons } = measured;
  const folder = relative(directory, measured.folder);
  const questions = wanted.measures.flatMap((each) => MEASURED[each].questions);
  const rows = against(comparisons, names, { questions, tolerance: wanted.tolerance });
  const broken = differences.some(({ own }) => own.ok === false);
  const judged = broken ? "worse" : judgeAll(rows);
  tell([{ kind: "table", table: tryTable(comparisons, rows, titles) }]);
  tell([
    heading(3, verdictText(judged, rows, { ...wanted, broken, title: titles[0] })),
    { kind: "text", text: `Report   ${folder}/report.html` },
  ]);
  return finish({ run: folder, rows: rows.map(asJson) }, STATUS[judged]);
}

/** @returns null: it was interrupted */
async function measure(
  { directory, project }: { directory: string; project: string },
  { baseline, inTurns }: Names,
  proxies: Proxy[],
  words: string[],
  say: (line: string) => void,
): Promise<{ comparisons: Comparisons; folder: string } | null> {
  const all = makePlan(
    readBattle(project, BATTLE, { proxies }),
    {},
    {
      proxies,
      referenceShare: inTurns ? HALF : readReferenceShare(project),
      network: readNetwork(project),
      say,
    },
  );
  const plan = inTurns ? turnsWith(all, pickProxy(proxies, baseline)) : all;
  const context = {
    directory: project,
    proxies,
    keepGoing: true,
    say,
    home: directory,
    isOnce: true,
  };
  const { code, store } = await begin(context, plan, BATTLE, words);
  if (code === INTERRUPTED) return null;
  const { comparisons } = writeReport(project, store);
  return { comparisons, folder: store.directory };
}

function asJson({ comparison, own, baseline, ratio, seen, judged }: Against) {
  const { id, measure: measured, scheme } = comparison;
  const figures = { own: own.estimate, baseline: baseline.estimate };
  return {
    id,
    measure: measured.key,
    unit: measured.unit,
    scheme,
    ...figures,
    ratio,
    seen,
    judged,
  };
}
