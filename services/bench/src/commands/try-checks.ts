/** What the two of a `try` do, and in what they differ. */
import { decidingLines, formatResult, matrixOf, oneByOne } from "../conformance/index.ts";
import { UserError } from "../errors.ts";
import { pickProxy } from "../plan/proxies.ts";
import { Project } from "../platform/compose.ts";
import { allEnded } from "../platform/wait.ts";
import { listed } from "../report/try-text.ts";
import { verifyOne } from "./verify.ts";
import type { CheckResult } from "../conformance/index.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Tell, Told } from "../report/try-text.ts";
import type { TryArguments } from "./definitions/try.ts";

const STARTS =
  "Expected a configuration that starts. Lines are those of your file. What your image alone has: --image.";

/** What each check came to. */
export type Checked = { own: CheckResult[]; baseline: CheckResult[] };

export async function verifyBoth(
  project: string,
  { own, baseline }: { own: string; baseline: string },
  proxies: Proxy[],
  { idle, say }: Pick<TryArguments, "idle"> & { say: (line: string) => void },
): Promise<Checked> {
  const whenAlone = oneByOne();
  const verified = async (name: string) => {
    const proxy = pickProxy(proxies, name);
    say(`verify ${proxy.title}`);
    try {
      return await verifyOne(project, proxy, () => {}, 1_000 * idle, whenAlone);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(
        `${proxy.title} does not start: ${error.message}`,
        `${error.next}\n${STARTS}`,
        2,
      );
    }
  };
  // At once, as each waits for an idle connection.
  const [ownResults, baselineResults] = await allEnded([verified(own), verified(baseline)]);
  return { own: ownResults, baseline: baselineResults };
}

/** @returns what both can do, beside the lines of the own configuration that decide */
export async function matrixFor(
  project: string,
  own: string,
  titles: string[],
  checked: Checked,
  { idle }: Pick<TryArguments, "idle">,
): Promise<Told[]> {
  const lines = decidingLines(await new Project(project, { profile: "*" }).config(), own);
  const both = [
    { title: titles[0], results: checked.own, lines },
    { title: titles[1], results: checked.baseline },
  ];
  return matrixOf(both, 1_000 * idle).map((table) => ({ kind: "table", table }));
}

interface CheckDifference {
  own: CheckResult;
  baseline: CheckResult;
}

/** Checks over schemes that both have, with different results. */
export function differencesOf({ own, baseline }: Checked): CheckDifference[] {
  return own.flatMap((result) => {
    const isSame = ({ id, scheme }: CheckResult) => id === result.id && scheme === result.scheme;
    const other = baseline.find(isSame);
    if (!other || outcomeOf(result) === outcomeOf(other)) return [];
    return [{ own: result, baseline: other }];
  });
}

function outcomeOf({ ok, untuned, no, skipped }: CheckResult): string {
  if (skipped) return "skipped";
  if (no) return "no";
  return ok && !untuned ? "ok" : "not as expected";
}

export function tellDifferences(
  differences: CheckDifference[],
  [own, baseline]: string[],
  tell: Tell,
) {
  const lines = differences.map(({ own: result }) => formatResult(result));
  if (lines.length === 0)
    tell([{ kind: "text", text: `${own} does what ${baseline} does, in every check` }]);
  else tell(listed(`${own} differs from ${baseline} in what it does`, lines));
}

/** @returns of each scheme over which not even a short message comes back */
export function lackingIn(results: CheckResult[]): CheckResult[] {
  return results.filter(({ id, ok }) => id === "text" && !ok);
}
