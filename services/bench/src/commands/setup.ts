/**
 * Makes a machine ready whose engine already runs: images, and the override that points Compose at
 * local builds where no registry answers. What is there already stays as it is.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { run } from "../platform/subprocess.ts";
import { imagesOf, withoutImage } from "../machine/local-images.ts";
import { readProxies } from "../plan/proxies.ts";
import { VERSION } from "../plan/versions.ts";
import { allEnded } from "../platform/wait.ts";
import { UserError } from "../errors.ts";
import type { ComposeConfig, ComposeService } from "../platform/compose.ts";
import type { Proxy } from "../plan/proxies.ts";

/** How offline/install.sh says that it did not find the version wanted. */
export const FALLBACK = /FALLBACK: .*/g;
/** How pip and offline/install.sh say which versions there are, where the one wanted is not. */
const TOLD = /\(from versions: ([^)]*)\)/;

/** Label of a local build: the official image. */
export const REPLACES = "ws-proxy-bench.replaces";
/** Beside the recipes of offline/, those of a project that is made for versions of proxies. */
export const OF_VERSIONS = "versions.yaml";

/** A service of a project is built by these words and its name. */
export const buildWord = ["--progress", "plain", "build"];

const OVERRIDE = "compose.override.yaml";
/** First line of the override, by which a file of the user's own is told apart. */
const OVERRIDE_MARK = "# Made by ./bench setup from the local builds in offline/.";
/** The image of this program: ./bench has built it before it could run. */
const OWN_IMAGE = "ws-proxy-bench/bench";

/**
 * @param directory the project's
 * @param say progress, a line each; silent when nothing had to be done
 * @throws {UserError} when an image can neither be pulled nor built
 */
export async function setup(
  directory: string,
  say: (line: string) => void,
  {
    backends = [],
    proxies = [],
    sayImages = say,
  }: {
    /** told what is pulled and built, where nobody wants to know the rest */
    sayImages?: (line: string) => void;
    /**
     * servers behind the proxy, folders of services/, that are wanted besides .env's: the images
     * of some take minutes to build, and most runs do without
     */
    backends?: string[];
    /** names of proxies that are wanted besides those that everyone has */
    proxies?: string[];
  } = {},
) {
  const known = readProxies(join(directory, "proxies"));
  const unwanted = known.flatMap(({ name, onlyByName }) =>
    onlyByName && !proxies.includes(name) ? [name] : [],
  );
  const official = await new Project(directory, { files: ["compose.yaml"], profile: "*" }).config();
  const images = officialImages(official);
  const present = await OWN_ENGINE.localImages([...images.all]);
  // An override of ours says that no registry answered; it is not asked again until the override is
  // deleted.
  if (isOurs(readOverride(directory)) || !(await canPull(images.node, present, say))) {
    const offline = offlineProject(directory);
    const config = await offline.config();
    const names = known.map(({ name }) => name);
    const servers = [...backends, process.env.BACKEND];
    await build(
      directory,
      offline,
      neededFor(config, (profile) => servers.includes(profile)),
      { say: sayImages, mayFail: imagesOfProxiesAlone(official, config, names) },
    );
    writeOverride(directory, overrideFor(official, config, present), say);
  } else {
    for (const image of images.all) {
      if (!present.has(image) && image !== images.node) await pull(image, sayImages);
    }
  }

  // An image carries the name as a label, and so has another id under another name: an id must tell
  // what is inside.
  for (const env of [{}, ...backends.map((backend) => ({ BACKEND: backend }))]) {
    // What comes after this setup goes by the same.
    const config = await new Project(directory, { profile: "*", env }).readOnce();
    const needed = neededFor(config, (profile) => !unwanted.includes(profile));
    const project = new Project(directory, { name: "ws-proxy-bench", profile: "*", env });
    await build(directory, project, needed, { say });
  }
}

export function offlineProject(directory: string): Project {
  return new Project(directory, {
    files: ["offline/compose.yaml", OF_VERSIONS].filter((file) =>
      existsSync(join(directory, file)),
    ),
    // Images carry it as a label: it must not be the name of a benchmark that COMPOSE_PROJECT_NAME
    // gives.
    name: "ws-proxy-bench-offline",
    profile: "*",
  });
}

/**
 * Where no registry answers, a proxy whose image has no local build, or one that failed, is not
 * available.
 *
 * @param directory the project's, which is set up
 * @param config with the profiles of these proxies
 * @returns by name of each that cannot be started: why
 */
export async function unavailableProxies(
  directory: string,
  config: ComposeConfig,
  proxies: Proxy[],
): Promise<Map<string, string>> {
  // Before a setup nothing is known, and after one from a registry every image is here.
  if (!isOurs(readOverride(directory))) return new Map();
  // A proxy may be newer than the override, which the next setup writes again.
  const current = withLocalBuilds(config, await offlineProject(directory).config());
  const images = proxies.flatMap(({ name }) => imagesOf(current, name));
  return withoutImage(current, proxies, await OWN_ENGINE.localImages([...new Set(images)]));
}

/** @returns official image → local build */
function localBuilds({ services }: ComposeConfig): Map<string | undefined, string | undefined> {
  return new Map(Object.values(services).map(({ image, labels }) => [labels?.[REPLACES], image]));
}

/** @returns the configuration with local builds instead of official images */
export function withLocalBuilds(config: ComposeConfig, offline: ComposeConfig): ComposeConfig {
  const local = localBuilds(offline);
  const services = Object.entries(config.services).map(([name, service]) => [
    name,
    { ...service, image: local.get(service.image) ?? service.image },
  ]);
  return { ...config, services: Object.fromEntries(services) };
}

/**
 * @param names of proxies
 * @returns local builds that nothing but proxies is run from: without one, those alone are not
 *   available
 */
export function imagesOfProxiesAlone(
  official: ComposeConfig,
  offline: ComposeConfig,
  names: string[],
): Set<string> {
  const users = Object.values(official.services).flatMap(({ image, build, profiles = [] }) => {
    const isProxy = profiles.length > 0 && profiles.every((profile) => names.includes(profile));
    return [image, ...Object.values(build?.args ?? {})].map((used) => ({ used, isProxy }));
  });
  return new Set(
    Object.values(offline.services).flatMap(({ image, labels }) => {
      const own = users.filter(({ used }) => used === labels?.[REPLACES]);
      return image && own.every(({ isProxy }) => isProxy) ? [image] : [];
    }),
  );
}

/** @returns without services whose profiles are all unwanted */
export function neededFor(
  config: ComposeConfig,
  isWanted: (profile: string) => boolean,
): ComposeConfig {
  const needed = Object.entries(config.services).filter(
    ([, { profiles = [] }]) => profiles.length === 0 || profiles.some(isWanted),
  );
  return { ...config, services: Object.fromEntries(needed) };
}

/** @returns the image that Node services are built on, and all that are not built here */
function officialImages({ services }: ComposeConfig): { node: string; all: Set<string> } {
  const node = Object.values(services).flatMap(({ build }) => build?.args?.NODE_IMAGE ?? [])[0];
  // The renderer is large and seldom wanted: Compose pulls it when its profile is.
  const used = Object.values(services).flatMap(({ build, image, profiles = [] }) =>
    build || !image || profiles.includes("render") ? [] : image,
  );
  const built = new Set(
    Object.values(services).flatMap(({ build, image }) => (build && image ? image : [])),
  );
  return { node, all: new Set([node, ...used.filter((image) => !built.has(image))]) };
}

/**
 * Finds out whether the registry answers, by its first image.
 *
 * @returns true: the image is here now
 * @throws {UserError} when the registry answers, but does not have it
 */
async function canPull(
  image: string,
  present: Map<string, string>,
  say: (line: string) => void,
): Promise<boolean> {
  if (present.has(image)) return true;
  say(`pulling ${image}`);
  const { code, output } = await run(["docker", "pull", image], {
    // The first line is the registry's answer; the download that follows may take its time.
    firstOutputWithinMs: 15_000,
  });
  if (/manifest unknown|pull access denied/.test(output)) throw missing(image, output);
  if (code !== 0) say(`no registry answers: ${output.trim() || "silence for 15 s"}`);
  return code === 0;
}

async function pull(image: string, say: (line: string) => void) {
  say(`pulling ${image}`);
  const { code, output } = await run(["docker", "pull", "--quiet", image]);
  if (code !== 0) throw missing(image, output);
}

/** @param output of docker pull */
function missing(image: string, output: string) {
  return new UserError(
    `cannot pull ${image}: ${output.trim()}`,
    "The registry answers, and is expected to have every image. Correct the name in .env, or IMAGE_REGISTRY.",
  );
}

/**
 * Builds, all at once, the images of those services whose build context has changed since the last
 * time.
 *
 * @param config of that project
 * @param options mayFail: images that setup goes on without
 */
async function build(
  directory: string,
  project: Project,
  config: ComposeConfig,
  { say, mayFail = new Set() }: { say: (line: string) => void; mayFail?: Set<string> },
) {
  const stateFile = join(directory, ".bench/builds.json");
  mkdirSync(join(directory, ".bench"), { recursive: true });
  /** inputs and id of each image as built last */
  const state: Record<string, string> = existsSync(stateFile)
    ? JSON.parse(readFileSync(stateFile, "utf8"))
    : {};
  const services = Object.entries(config.services).filter(
    ([, { build, image }]) => build && image !== OWN_IMAGE,
  );
  /** by image: two services may share one */
  const builds: Map<string, { service: string; inputs: string }> = new Map();
  for (const [service, { image = `${config.name}-${service}`, build }] of services) {
    if (build) builds.set(image, { service, inputs: hashOf(build) });
  }
  const present = await OWN_ENGINE.localImages([...builds.keys()]);
  const stale = [...builds].filter(
    ([image, { inputs }]) => state[image] !== `${inputs} ${present.get(image)}`,
  );
  if (stale.length === 0) return;

  const waiting = new Set(stale.map(([image]) => image));
  say(`building ${[...waiting].join(", ")}`);
  const heartbeat = setInterval(() => say(`  still building ${[...waiting].join(", ")}`), 20_000);
  const built = allEnded(
    stale.map(async ([image, { service, inputs }]) => {
      const started = Date.now();
      const log = join(".bench", `build-${service}.log`);
      const { code, output } = await project.run([...buildWord, service]);
      writeFileSync(join(directory, log), output);
      waiting.delete(image);
      if (code !== 0) {
        const failure = `could not build ${image}; the end of ${log}:\n${output.trim().split("\n").slice(-15).join("\n")}`;
        if (mayFail.has(image)) {
          say(`  ${failure}\n  proxies that need it are skipped`);
          return;
        }
        const versions = versionsTold(output);
        if (versions)
          throw new UserError(
            `${image}: there is no such version`,
            `Expected one of: ${versions.join(", ")}.`,
            2,
          );
        throw new UserError(
          failure,
          "Fix what it reports, then run this again: it keeps the images that are built.",
        );
      }
      const id = (await OWN_ENGINE.localImages([image])).get(image);
      state[image] = `${inputs} ${id}`;
      writeFileSync(stateFile, JSON.stringify(state, null, 2));
      say(`  built ${image} (${Math.round((Date.now() - started) / 1000)} s)`);
      for (const [line] of output.matchAll(FALLBACK)) say(`  ${line}`);
    }),
  );
  await built.finally(() => clearInterval(heartbeat));
}

/**
 * @param output of a build that has failed
 * @returns null: that is not for want of a version
 */
export function versionsTold(output: string): string[] | null {
  const told = output.match(TOLD)?.[1];
  if (told === undefined) return null;
  const all = told.split(",").map((version) => version.trim());
  // Without those that are not final.
  return all.filter((version) => VERSION.test(version));
}

/** @returns of the files in the context and the arguments that its Dockerfile takes */
export function hashOf({
  context,
  dockerfile = "Dockerfile",
  args = {},
}: NonNullable<ComposeService["build"]>): string {
  const instructions = readFileSync(join(context, dockerfile), "utf8");
  const taken = Object.entries(args).filter(([name]) =>
    new RegExp(`^ARG .*\\b${name}\\b`, "m").test(instructions),
  );
  const hash = createHash("sha256").update(JSON.stringify(Object.fromEntries(taken)));
  const inside = readdirSync(context, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(context, file).split("/").includes("node_modules"));
  // A Dockerfile may lie elsewhere.
  for (const file of [...new Set([...inside, join(context, dockerfile)])].sort())
    hash.update(relative(context, file)).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}

/**
 * @param official the project without an override
 * @param present official images that this machine still has
 */
export function overrideFor(
  official: ComposeConfig,
  offline: ComposeConfig,
  present: Map<string, string>,
): { services: Record<string, object>; leftOut: string[] } {
  const local = localBuilds(offline);
  const services: Record<string, object> = {};
  const leftOut: string[] = [];
  for (const [name, service] of Object.entries(official.services)) {
    const { build, image = "", profiles } = service;
    if (build) {
      const args = Object.entries(build.args ?? {}).flatMap(([arg, replaced]) =>
        local.has(replaced) ? [[arg, local.get(replaced)]] : [],
      );
      if (args.length > 0) services[name] = { build: { args: Object.fromEntries(args) } };
    } else if (local.has(image)) {
      services[name] = { image: local.get(image) };
    } else if (!present.has(image) && !profiles?.length && !isBuilt(official, image)) {
      // A profile that nobody names is how Compose leaves a service out.
      services[name] = { profiles: ["no-local-image"] };
      leftOut.push(name);
    }
  }
  return { services, leftOut };
}

function isBuilt({ services }: ComposeConfig, image: string) {
  return Object.values(services).some((service) => service.build && service.image === image);
}

/** @returns empty when there is none */
function readOverride(directory: string): string {
  const file = join(directory, OVERRIDE);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function isOurs(override: string) {
  return override.startsWith(OVERRIDE_MARK);
}

function writeOverride(
  directory: string,
  { services, leftOut }: ReturnType<typeof overrideFor>,
  say: (line: string) => void,
) {
  const before = readOverride(directory);
  if (before && !isOurs(before)) {
    throw new UserError(
      `${OVERRIDE} is not this program's, and no registry can be reached`,
      "Expected to write the names of the local builds there. Rename yours, run this again, and name both with --file.",
    );
  }
  const missing = leftOut.map(
    (name) =>
      `without ${name}: no local build stands in for its image; set ${name.toUpperCase()}_IMAGE to one that is present`,
  );
  const content = [
    OVERRIDE_MARK,
    "# Delete it and run ./bench setup again to use the official images.",
    ...missing.map((line) => `# ${line}`),
    // JSON is YAML.
    JSON.stringify({ services }, null, 2),
    "",
  ].join("\n");
  if (content === before) return;
  writeFileSync(join(directory, OVERRIDE), content);
  say(`wrote ${OVERRIDE}: Compose uses the local builds`);
  for (const line of missing) say(`  ${line}`);
}
