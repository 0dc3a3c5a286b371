/** What a `try` compares: a file, its baseline, and the schemes that both have. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { kindOf, openSource } from "../adapt/index.ts";
import { UserError } from "../errors.ts";
import { knownProxies } from "../plan/proxies.ts";
import type { Tried } from "../adapt/index.ts";
import type { Scheme } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { TryArguments } from "./definitions/try.ts";

/** Name of its folder. */
export const OWN = "yours";
/** Name of the baseline's folder, where that is no proxy of the suite. */
export const BASELINE = "baseline";
const COLOURS = { [OWN]: "#D55E00", [BASELINE]: "#56B4E9" };

/** @returns baseline: name of its folder */
export async function entrants(
  wanted: TryArguments,
  original: Proxy,
  proxies: Proxy[],
): Promise<{ tried: Tried[]; baseline: string }> {
  const { against: other, image = null } = wanted;
  const config = fromCaller(wanted.config);
  const kind = kindOf(original.variantOf?.proxy ?? original.name);
  const adapt = (name: keyof typeof COLOURS, path: string, of: string, runs: string | null) => {
    const title = runs === null ? of : `${of} on ${runs}`;
    const asked = { ...wanted, hasOwnImage: runs !== null };
    const adapted = kind.adapt(openSource(path, kind.names, kind.root), asked);
    const shown = { title, colour: COLOURS[name], differs: `the configuration ${title}` };
    return { ...shown, name, kind, adapted, image: runs, original: original.name };
  };
  const own = adapt(OWN, config, titleOf(config), image);
  if (other === undefined) return { tried: [own], baseline: original.name };
  const file = fromCaller(other);
  if (existsSync(file)) {
    const title = titleOf(file, titleOf(file) === titleOf(config) ? 2 : 1);
    return { tried: [own, adapt(BASELINE, file, title, image)], baseline: BASELINE };
  }
  if (proxies.some(({ name }) => name === other)) return { tried: [own], baseline: other };
  const { BENCH_AGAINST: atRevision } = process.env;
  if (atRevision) {
    const title = `${titleOf(config)} at ${other.replace(/^([0-9a-f]{12})[0-9a-f]+$/, "$1")}`;
    return { tried: [own, adapt(BASELINE, atRevision, title, image)], baseline: BASELINE };
  }
  if (!/[:/]/.test(other))
    throw new UserError(
      `--against is ${other}, which is no file, no proxy and no git revision`,
      `${knownProxies(proxies, other)} An image has a tag, such as nginx:1.29.`,
      2,
    );
  return { tried: [own, adapt(BASELINE, config, titleOf(config), other)], baseline: BASELINE };
}

/** @returns path, in the container the same as outside */
function fromCaller(path: string): string {
  return resolve(process.env.BENCH_CALLER || ".", path);
}

/** @param parts of the path, so that two files of one name differ */
function titleOf(path: string, parts = 1): string {
  return resolve(path).split("/").slice(-parts).join("/");
}

export function commonSchemes(tried: Tried[], baseline: string, proxies: Proxy[]): Scheme[] {
  const known = proxies.find(({ name }) => name === baseline);
  const all = [...tried.map(({ adapted }) => adapted.schemes), ...(known ? [known.schemes] : [])];
  const common = all[0].filter((scheme) => all.every((schemes) => schemes.includes(scheme)));
  if (common.length > 0) return common;
  throw new UserError(
    `one serves ${all[0].join(" and ")}, the other ${all[1].join(" and ")}`,
    "Expected two that both listen for plain connections, or both for TLS.",
    2,
  );
}
