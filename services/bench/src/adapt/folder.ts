/**
 * A project with proxies that nobody keeps: the project's own files, and beside them folders of
 * proxies/ for the configurations that are tried. Runner, verify and report need nothing else.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { HERE } from "./source.ts";
import type { Adapted } from "./source.ts";
import type { Kind } from "./index.ts";

export interface Tried {
  /** of its folder */
  name: string;
  title: string;
  colour: string;
  /** in one line, beside the original's title */
  differs: string;
  /** folder of proxies/ that it replaces */
  original: string;
  kind: Kind;
  adapted: Adapted;
  /** null: the original's */
  image: string | null;
}

/** What is the same in the project that is made. */
const LINKED = [".bench", ".env", "certs", "loadgen", "offline"];

/** A service of the project, and its folder in services/: in its place a baseline may stand. */
const REFERENCE = "reference";

/** Of the original, which raises the limit of open files in a shell. */
const ENTRYPOINT = ["sh", "/raise-limits.sh"];

/**
 * @param directory the project's
 * @param battle of battles/try.yaml
 * @param baseline folder of proxies/ that has the reference's place; null: the reference keeps it
 * @returns folder of the project, inside of .bench
 */
export function makeProject(
  directory: string,
  tried: Tried[],
  battle: object,
  baseline: string | null,
): string {
  mkdirSync(join(directory, ".bench"), { recursive: true });
  const project = mkdtempSync(join(directory, ".bench/try-"));
  // Whatever mask the caller has: proxies run as users of their own.
  chmodSync(project, 0o755);
  for (const name of LINKED) symlinkSync(join(directory, name), join(project, name));
  mkdirSync(join(project, "battles"));
  writeFileSync(join(project, "battles/try.yaml"), JSON.stringify(battle));
  linkEach(directory, project, "proxies");
  linkEach(directory, project, "services", baseline === null ? [] : [REFERENCE]);
  if (baseline !== null) writeReference(project, baseline);
  for (const one of tried) writeFolder(project, one);
  const compose = parseDocument(readFileSync(join(directory, "compose.yaml"), "utf8"));
  for (const { name } of tried) compose.addIn(["include"], `proxies/${name}/compose.yaml`);
  writeFileSync(join(project, "compose.yaml"), String(compose));
  const override = join(directory, "compose.override.yaml");
  if (existsSync(override)) copyFileSync(override, join(project, "compose.override.yaml"));
  return project;
}

function linkEach(directory: string, project: string, folder: string, but: string[] = []) {
  mkdirSync(join(project, folder), { recursive: true });
  for (const name of readdirSync(join(directory, folder)))
    if (!but.includes(name))
      symlinkSync(join(directory, folder, name), join(project, folder, name));
}

/** The baseline as the service that gets turns of the load beside each proxy. */
function writeReference(project: string, baseline: string) {
  const text = JSON.stringify({
    services: {
      [REFERENCE]: {
        profiles: [REFERENCE],
        extends: { file: `../../proxies/${baseline}/compose.yaml`, service: baseline },
        // The name "proxy" is that of the other.
        networks: { default: {} },
        cpuset: "${REFERENCE_CPUSET}",
      },
    },
  });
  const folder = join(project, "services", REFERENCE);
  mkdirSync(folder);
  writeFileSync(join(folder, "compose.yaml"), overriding(overriding(text, "profiles"), "networks"));
}

/** @returns the value of that key replaces what it extends */
function overriding(text: string, key: string): string {
  return text.replaceAll(`"${key}":`, `"${key}": !override `);
}

/** @returns a folder of proxies/ is one container: it can have the reference's place */
export function isOneContainer(directory: string, proxy: string): boolean {
  const text = readFileSync(join(directory, "proxies", proxy, "compose.yaml"), "utf8");
  return Object.keys(parseDocument(text).toJS().services).length === 1;
}

export function removeProject(project: string) {
  rmSync(project, { recursive: true, force: true });
}

function writeFolder(project: string, { name, adapted, ...tried }: Tried) {
  const { kind, title, colour, differs, original } = tried;
  const folder = join(project, "proxies", name);
  for (const [file, text] of Object.entries(adapted.files)) {
    const path = join(folder, "files", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o644 });
  }
  // A proxy writes there as a user of its own.
  mkdirSync(join(folder, "logs"));
  chmodSync(join(folder, "logs"), 0o777);
  const main = join(kind.root, kind.names[0]);
  const facts = {
    title,
    colour,
    variantOf: { proxy: original, differs },
    // It is reported, and no failure, what takes tuning.
    tuned: false,
    schemes: adapted.schemes,
    generation: null,
    hostNetwork: false,
    configChecks: kind.check ? [{ part: kind.part, command: kind.check(main) }] : [],
  };
  writeFileSync(join(folder, "proxy.json"), JSON.stringify(facts, null, 2));
  writeCompose(project, { name, adapted, ...tried }, { entrypoint: ENTRYPOINT });
}

/**
 * @param raises entrypoint: what raises the limit of open files before the proxy starts; or the
 *   limit that the engine is to set, where the image has no shell
 */
export function writeCompose(
  project: string,
  { name, kind, adapted, original, image }: Tried,
  raises: { entrypoint: string[] } | { openFiles: number },
) {
  const main = join(kind.root, kind.names[0]);
  const targets = Object.keys(adapted.files).map((file) => [
    `./files/${file}`,
    file === adapted.main ? main : join(kind.root, file),
  ]);
  const extending = (service: string) => ({
    profiles: [name],
    extends: { file: `../${original}/compose.yaml`, service },
  });
  const own = {
    ...(image && { image }),
    command: kind.command(main, adapted.files[adapted.main]),
    volumes: [
      ...targets.map(([source, target]) => `${source}:${target}:ro`),
      `./logs:${HERE.logs}`,
    ],
    ...("entrypoint" in raises
      ? { entrypoint: raises.entrypoint }
      : { entrypoint: [], ulimits: { nofile: raises.openFiles } }),
  };
  const network_mode = `service:${name}`;
  const services = kind.part
    ? {
        [name]: extending(original),
        [`${name}-${kind.part}`]: {
          ...extending(`${original}-${kind.part}`),
          ...{ network_mode, ...own },
        },
      }
    : { [name]: { ...extending(original), ...own } };
  // Else it would be started with the original, too.
  const text = overriding(JSON.stringify({ services }), "profiles");
  writeFileSync(join(project, "proxies", name, "compose.yaml"), text);
}
