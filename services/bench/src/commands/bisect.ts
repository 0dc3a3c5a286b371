/**
 * `bisect`: which release made a proxy more expensive.
 */
import { join } from "node:path";
import { ratioToReference } from "../analyse/reference.ts";
import { UserError } from "../errors.ts";
import { readBattle } from "../plan/battle.ts";
import { readNetwork } from "../plan/knobs.ts";
import { makePlan } from "../plan/plan.ts";
import { pickProxy, readProxies } from "../plan/proxies.ts";
import { versionName, versionsBetween, versionsOf } from "../plan/versions.ts";
import { bisectLine, bisectVerdict } from "../report/bisect-text.ts";
import { refuseSecond } from "../run/lock.ts";
import { firstToCostMore } from "../statistics/index.ts";
import { writeReport } from "./report.ts";
import { begin, INTERRUPTED } from "./run.ts";
import { setup } from "./setup.ts";
import { asBaseline, connectionTest, HALF, messagesTest } from "./turns.ts";
import { availableVersions, inVersions, verifyVersions } from "./versions.ts";
import type { BisectArguments } from "./definitions/bisect.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Found } from "../statistics/index.ts";

const BATTLE = "try";

/** Of a cell: to what has the reference's place. */
const RATIO = ratioToReference("cpu_us_per_connection") ?? "";

const TESTS = { "cpu-per-connection": connectionTest, "cpu-per-message": messagesTest };

const STATUS: Record<Found["outcome"], number> = { none: 0, found: 1, noise: 3, unable: 3 };

interface Out {
  say: (line: string) => void;
  print: (line: string) => void;
}

/**
 * @param directory the project's
 * @param words of the command line, for the record
 * @returns exit status: 0 none costs more, 1 one does, 3 could not tell
 */
export async function bisect(
  directory: string,
  wanted: BisectArguments,
  { say, print }: Out,
  words: string[],
): Promise<number> {
  const proxy = pickProxy(readProxies(join(directory, "proxies")), wanted.proxy);
  const scheme = wanted.wss ? "wss" : "ws";
  if (!proxy.schemes.includes(scheme))
    throw new UserError(`${proxy.name} does not serve ${scheme}`, "Expected another proxy.", 2);
  await refuseSecond(directory);
  const versions = versionsBetween(
    await knownVersions(directory, wanted, say),
    wanted.from,
    wanted.to,
  );
  if (versions.length < 2) {
    throw new UserError(
      `${proxy.title} has ${versions[0] ?? "no version"} alone from ${wanted.from} to ${wanted.to}`,
      "Expected two versions or more: choose others, or name them with --versions.",
      2,
    );
  }
  const about = { title: proxy.title, ...wanted };
  if (!wanted.json) print(`${proxy.title} ${versions.join(", ")}`);
  const found = await firstToCostMore(
    versions,
    measurer(directory, proxy, versions[0], wanted, { say, words }),
    { threshold: wanted.threshold, mostRounds: wanted.rounds },
    (judged, left) => wanted.json || print(bisectLine(judged, left.length, versions[0])),
  );
  if (wanted.json) print(JSON.stringify({ versions, ...found }, null, 1));
  else print(bisectVerdict(found, versions[0], about));
  return STATUS[found.outcome];
}

async function knownVersions(
  directory: string,
  { proxy, versions }: BisectArguments,
  say: Out["say"],
): Promise<string[]> {
  if (versions) return versions;
  await setup(directory, say);
  const known = await availableVersions(directory, proxy);
  if (known.length > 0) return known;
  throw new UserError(
    `no list of versions of ${proxy} is available here`,
    "Expected --versions 3.0,3.2: tags of its image that this machine has, or can pull.",
    2,
  );
}

/** @returns gives ratios to the first version, one a round; null: it fails what `verify` checks */
function measurer(
  directory: string,
  proxy: Proxy,
  first: string,
  { measure, wss }: BisectArguments,
  { say, words }: Pick<Out, "say"> & { words: string[] },
) {
  const verified: Set<string> = new Set();
  const test = TESTS[measure](wss ? "wss" : "ws");
  return async (version: string, rounds: number): Promise<number[] | null> => {
    const own = { [proxy.name]: [version] };
    const battle = {
      title: `${proxy.title} ${version} beside ${first}`,
      ...{ proxies: [proxy.name], versions: own, rounds, seed: 1 },
      tests: [test],
    };
    const wanted = { [proxy.name]: [...new Set([first, version])] };
    const baseline = versionName(proxy.name, first);
    return inVersions(directory, wanted, { battle, baseline, say }, async (project) => {
      const entrants = versionsOf(proxy, own);
      if (!verified.has(version)) {
        const { unable } = await verifyVersions(project, entrants, say);
        if (unable.size > 0) return null;
        verified.add(version);
      }
      const shipped = readProxies(join(project, "proxies"));
      const plan = makePlan(
        readBattle(project, BATTLE, { proxies: shipped }),
        {},
        { proxies: shipped, referenceShare: HALF, network: readNetwork(project) },
      );
      const proxies = [...shipped, ...entrants];
      const context = { directory: project, home: directory, proxies, keepGoing: true, say };
      const { code, store } = await begin(
        { ...context, isOnce: true },
        asBaseline(plan, `${proxy.title} ${first}`),
        `bisect-${entrants[0].name}`,
        words,
      );
      if (code === INTERRUPTED) throw new UserError("interrupted", "", INTERRUPTED);
      const { cells } = writeReport(directory, store);
      return cells
        .filter(({ counted, record }) => counted && record.proxy === entrants[0].name)
        .flatMap(({ measures }) => measures[RATIO] ?? []);
    });
  };
}
