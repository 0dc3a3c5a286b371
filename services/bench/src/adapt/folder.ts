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
const LINKED = [".bench", ".env", "certs", "loadgen", "offline", "services"];

/** Of the original, which raises the limit of open files in a shell. */
const ENTRYPOINT = ["sh", "/raise-limits.sh"];

/**
 * @param directory the project's
 * @param battle of battles/try.yaml
 * @returns folder of the project, inside of .bench
 */
export function makeProject(directory: string, tried: Tried[], battle: object): string {
  mkdirSync(join(directory, ".bench"), { recursive: true });
  const project = mkdtempSync(join(directory, ".bench/try-"));
  // Whatever mask the caller has: proxies run as users of their own.
  chmodSync(project, 0o755);
  for (const name of LINKED) symlinkSync(join(directory, name), join(project, name));
  mkdirSync(join(project, "battles"));
  writeFileSync(join(project, "battles/try.yaml"), JSON.stringify(battle));
  mkdirSync(join(project, "proxies"));
  for (const name of readdirSync(join(directory, "proxies")))
    symlinkSync(join(directory, "proxies", name), join(project, "proxies", name));
  for (const one of tried) writeFolder(project, one);
  const compose = parseDocument(readFileSync(join(directory, "compose.yaml"), "utf8"));
  for (const { name } of tried) compose.addIn(["include"], `proxies/${name}/compose.yaml`);
  writeFileSync(join(project, "compose.yaml"), String(compose));
  const override = join(directory, "compose.override.yaml");
  if (existsSync(override)) copyFileSync(override, join(project, "compose.override.yaml"));
  return project;
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
  const tagged = JSON.stringify({ services }).replaceAll('"profiles":', '"profiles": !override ');
  writeFileSync(join(project, "proxies", name, "compose.yaml"), tagged);
}
