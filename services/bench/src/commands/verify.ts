/**
 * `verify`: every proxy passes the same conformance checks before anything is measured.
 */
import { join } from "node:path";
import { formatMatrix, formatResult, runConformance } from "../conformance/index.ts";
import { Project } from "../platform/docker.ts";
import { UserError } from "../errors.ts";
import { pickProxies, readProxies } from "../plan/proxies.ts";
import { setup, unavailableProxies } from "./setup.ts";
import { targetOf, withProxy } from "./started-proxy.ts";
import type { CheckResult } from "../conformance/index.ts";
import type { Proxy } from "../plan/proxies.ts";

/**
 * @param directory the project's
 * @param names of proxies and groups; none: all
 * @param say progress of the setup
 * @returns exit status: 1 when a check failed
 */
export async function verify(
  directory: string,
  names: string[],
  say: (line: string) => void,
  print: (line: string) => void,
): Promise<number> {
  // A wrong name is better known before images are built.
  pickProxies(readProxies(join(directory, "proxies")), names);
  await setup(directory, say);
  return verifyProxies(directory, names, print);
}

/**
 * @param directory the project's, which is set up
 * @param names of proxies and groups; none: all
 * @returns exit status: 1 when a check failed
 */
export async function verifyProxies(
  directory: string,
  names: string[],
  print: (line: string) => void,
): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const chosen = names.length > 0 ? pickProxies(proxies, names) : proxies;
  const config = await new Project(directory, { profile: "*" }).config();
  const unavailable = await unavailableProxies(directory, config, chosen);
  const available = chosen.filter(({ name }) => !unavailable.has(name));
  const broken: string[] = [];
  const checked: { name: string; results: CheckResult[] }[] = [];
  for (const [name, reason] of unavailable) print(`${name}\n  skip ${reason}`);
  for (const proxy of available) {
    print(`${proxy.name}`);
    try {
      const results = await verifyOne(directory, proxy, print);
      checked.push({ name: proxy.name, results });
      const failures = results.filter(({ ok }) => !ok).length;
      if (failures > 0) broken.push(`${proxy.name} (${failures} failed)`);
    } catch (error) {
      // The other proxies are still worth a look.
      if (!(error instanceof UserError)) throw error;
      print(`  FAIL ${error.message}\n${error.next}`.replace(/\n/g, "\n       "));
      broken.push(`${proxy.name} (could not be checked)`);
    }
  }
  for (const line of formatMatrix(checked)) print(line);
  if (unavailable.size > 0) print(`not checked: ${[...unavailable.keys()].join(", ")}`);
  if (broken.length > 0) print(`not passed: ${broken.join(", ")}`);
  else if (available.length > 0)
    print(`all checks passed: ${available.map(({ name }) => name).join(", ")}`);
  return broken.length === 0 ? 0 : 1;
}

/** More than the default limits of a worker's connections and descriptors let through. */
const HELD = 1_000;

/** @param idleMs how long an idle connection must stay open; left out: a few seconds */
export function verifyOne(
  directory: string,
  proxy: Proxy,
  print: (line: string) => void,
  idleMs?: number,
): Promise<CheckResult[]> {
  return withProxy(directory, proxy, async (started) => {
    for (const scheme of proxy.schemes) await started.waitFor(scheme);
    return runConformance({
      ...targetOf(started, proxy),
      host: "proxy",
      schemes: proxy.schemes,
      serves: proxy.serves,
      tuned: proxy.tuned,
      held: HELD,
      ...(idleMs && { idleMs }),
      onResult: (result) => print(`  ${formatResult(result)}`),
    });
  });
}
