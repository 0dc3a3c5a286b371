/**
 * Versions of proxies, in a project that is made for them: each from the image of its tag, or where
 * no registry answers from the recipe in offline/, built when it is asked for and kept.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { inProject, writeVersion } from "../adapt/index.ts";
import { formatResult } from "../conformance/index.ts";
import { UserError } from "../errors.ts";
import { versionName } from "../plan/versions.ts";
import { Project } from "../platform/compose.ts";
import { buildWord, OF_VERSIONS, offlineProject, REPLACES, setup, versionsTold } from "./setup.ts";
import { verifyOne } from "./verify.ts";
import type { Made } from "../adapt/index.ts";
import type { Versions } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { ComposeConfig, ComposeService } from "../platform/compose.ts";

/** Of an image, from its tag on: what stands before the version, and the version. */
const TAG = /:([^\d/]*)\d[^/]*$/;

/** Of no proxy: to ask for it tells those that there are. */
const NO_VERSION = "0";

/** Of what a checker or a log says of a version, in a table. */
const MOST_LETTERS = 400;
const LAST_LINES = 3;
const ERROR = /\b(alert|critical|emerg|err|error|fatal)\b/i;

/**
 * @param directory the project's
 * @param use is given the folder of the project that has a folder of proxies/ for each
 */
export async function inVersions<T>(
  directory: string,
  versions: Versions,
  { say, ...made }: Omit<Made, "added"> & { say: (line: string) => void },
  use: (project: string) => Promise<T>,
): Promise<T> {
  await setup(directory, say);
  return inVersionsUnbuilt(directory, versions, made, async (project) => {
    await setup(project, () => {}, { sayImages: say });
    return use(project);
  });
}

async function inVersionsUnbuilt<T>(
  directory: string,
  versions: Versions,
  made: Omit<Made, "added">,
  use: (project: string) => Promise<T>,
): Promise<T> {
  const official = await new Project(directory, { files: ["compose.yaml"], profile: "*" }).config();
  const offline = await offlineProject(directory).config();
  const all = Object.entries(versions).flatMap(([proxy, own]) =>
    own.map((version) => {
      const image = officialImage(official, proxy);
      const replaces = withVersion(image, version);
      const name = versionName(proxy, version);
      const recipe = recipeFor(offline, image, { proxy, version, replaces });
      return { name, proxy, image: replaces, recipe };
    }),
  );
  const added = all.map(({ name }) => name);
  return inProject(directory, { ...made, added }, async (project) => {
    for (const one of all) writeVersion(project, one);
    const recipes = all.flatMap(({ name, recipe }) => (recipe ? [[name, recipe]] : []));
    const services = Object.fromEntries(recipes);
    writeFileSync(join(project, OF_VERSIONS), JSON.stringify({ services }));
    return use(project);
  });
}

/** @throws {UserError} when its version is not that of an image */
export function officialImage({ services }: ComposeConfig, proxy: string): string {
  const own = Object.values(services).filter(({ profiles }) => profiles?.includes(proxy));
  const [{ image = "", build }] = own.length === 1 ? own : [{}];
  if (!build && TAG.test(image)) return image;
  throw new UserError(
    `${proxy} is not available in other versions`,
    "Expected a proxy that is one container, of an image whose tag has a version, such as haproxy.",
    2,
  );
}

/** @returns without the base that the tag names: of another time there may be none on that */
export function withVersion(image: string, version: string): string {
  return image.replace(TAG, (_, before) => `:${before}${version}`);
}

/** @returns service of offline/compose.yaml; null: the proxy's image has no local build */
export function recipeFor(
  { services }: ComposeConfig,
  official: string,
  { proxy, version, replaces }: { proxy: string; version: string; replaces: string },
): ComposeService | null {
  const own = Object.values(services).find(({ labels }) => labels?.[REPLACES] === official);
  if (!own?.build) return null;
  const args = Object.entries(own.build.args ?? {}).map(([name, value]) => {
    if (name === "SUITES") return [name, `any/${version}`];
    return [name, name.endsWith("_VERSION") ? version : value];
  });
  return {
    image: `ws-proxy-bench/versions/${proxy}:${version}`,
    labels: { [REPLACES]: replaces },
    build: { ...own.build, args: Object.fromEntries(args) },
  };
}

/**
 * @param directory the project's
 * @returns versions that its recipe in offline/ can be built of; empty: it has none
 */
export function availableVersions(directory: string, proxy: string): Promise<string[]> {
  return inVersionsUnbuilt(directory, { [proxy]: [NO_VERSION] }, {}, async (project) => {
    const name = versionName(proxy, NO_VERSION);
    const { output } = await offlineProject(project).run([...buildWord, name]);
    return versionsTold(output) ?? [];
  });
}

/**
 * Puts each version through the checks of `verify`, one after the other.
 *
 * @param project that has their folders
 * @returns proxies: with the checks that each fails in its description; unable: why some are not
 *   to be measured, by name
 */
export async function verifyVersions(
  project: string,
  versions: Proxy[],
  say: (line: string) => void,
): Promise<{ proxies: Proxy[]; unable: Map<string, string> }> {
  const unable: Map<string, string> = new Map();
  const proxies: Proxy[] = [];
  for (const proxy of versions) {
    say(`verify ${proxy.title}`);
    const failed = await failedChecks(project, proxy).catch((error) => {
      if (!(error instanceof UserError)) throw error;
      unable.set(proxy.name, inOneLine(`${error.message}\n${error.next}`));
      return [];
    });
    const lost = failed.find(({ id }) => id === "text");
    if (lost) unable.set(proxy.name, inOneLine(`carries no WebSockets: ${formatResult(lost)}`));
    for (const one of failed) say(`  ${formatResult(one)}`);
    const why = unable.get(proxy.name);
    if (why) say(`  skip ${why}`);
    proxies.push(failed.length > 0 ? described(proxy, failed) : proxy);
  }
  return { proxies, unable };
}

async function failedChecks(project: string, proxy: Proxy) {
  return (await verifyOne(project, proxy, () => {})).filter(({ ok }) => !ok);
}

function described(proxy: Proxy, failed: { title: string; scheme: string }[]): Proxy {
  const { variantOf } = proxy;
  if (!variantOf) return proxy;
  const checks = failed.map(({ title, scheme }) => `${title} (${scheme})`).join(", ");
  return {
    ...proxy,
    variantOf: { ...variantOf, differs: `${variantOf.differs}, which fails checks: ${checks}` },
  };
}

/** @returns its first line, and of the log or the checker's words after it the errors, or the end */
export function inOneLine(text: string): string {
  const [first, ...rest] = stripVTControlCharacters(text)
    .trim()
    .split(/\s*\n\s*/);
  const errors = rest.filter((line) => ERROR.test(line));
  const line = [first, ...(errors.length > 0 ? errors : rest.slice(-LAST_LINES))].join(" ");
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}…` : line;
}
