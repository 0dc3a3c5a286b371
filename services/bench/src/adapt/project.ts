/**
 * A project with proxies that nobody keeps: the project's own files, and beside them folders of
 * proxies/ that are tried. Runner, verify and report need nothing else.
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
import { join } from "node:path";
import { parseDocument } from "yaml";

/** What is the same in the project that is made. */
const LINKED = [".bench", ".env", "certs", "loadgen", "offline"];

/** A service of the project, and its folder in services/: in its place a baseline may stand. */
const REFERENCE = "reference";

export interface Made {
  /** names of folders that are written to its proxies/ */
  added: string[];
  /** of battles/try.yaml; left out: it has none */
  battle?: object;
  /** folder of proxies/ that has the reference's place; left out: the reference keeps it */
  baseline?: string | null;
}

/**
 * @param directory the project's, in whose results/ runs are recorded
 * @param use is given the folder of the project that is made, which is gone when it ends
 */
export async function inProject<T>(
  directory: string,
  made: Made,
  use: (project: string) => Promise<T>,
): Promise<T> {
  process.env.BENCH_RESULTS ||= join(directory, "results");
  const project = makeProject(directory, made);
  const remove = () => removeProject(project);
  process.on("exit", remove);
  try {
    return await use(project);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/**
 * @param directory the project's
 * @returns folder of the project, inside of .bench
 */
export function makeProject(directory: string, { added, battle, baseline = null }: Made): string {
  mkdirSync(join(directory, ".bench"), { recursive: true });
  const project = mkdtempSync(join(directory, ".bench/try-"));
  // Whatever mask the caller has: proxies run as users of their own.
  chmodSync(project, 0o755);
  for (const name of LINKED) symlinkSync(join(directory, name), join(project, name));
  mkdirSync(join(project, "battles"));
  if (battle) writeFileSync(join(project, "battles/try.yaml"), JSON.stringify(battle));
  linkEach(directory, project, "proxies");
  linkEach(directory, project, "services", baseline === null ? [] : [REFERENCE]);
  if (baseline !== null) writeReference(project, baseline);
  const compose = parseDocument(readFileSync(join(directory, "compose.yaml"), "utf8"));
  for (const name of added) compose.addIn(["include"], `proxies/${name}/compose.yaml`);
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
export function overriding(text: string, key: string): string {
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
