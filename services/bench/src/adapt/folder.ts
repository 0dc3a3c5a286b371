/**
 * Folders of proxies/ for a version, and for a configuration that is tried.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { overriding } from "./project.ts";
import { HERE } from "./source.ts";
import type { Adapted } from "./source.ts";
import type { Kind } from "./index.ts";

/**
 * @param project that was made for it
 * @param version image: another than that of the proxy, whose folder is extended
 */
export function writeVersion(
  project: string,
  { name, proxy, image }: { name: string; proxy: string; image: string },
) {
  const own = { profiles: [name], extends: { file: `../${proxy}/compose.yaml`, service: proxy } };
  const text = JSON.stringify({ services: { [name]: { ...own, image } } });
  mkdirSync(join(project, "proxies", name));
  writeFileSync(join(project, "proxies", name, "compose.yaml"), overriding(text, "profiles"));
}

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

/** Of the original, which raises the limit of open files in a shell. */
const ENTRYPOINT = ["sh", "/raise-limits.sh"];

/** @param project that was made for it */
export function writeFolder(project: string, { name, adapted, ...tried }: Tried) {
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
