/**
 * `verify --behaviour`: what proxies do by themselves, side by side.
 */
import { join } from "node:path";
import { shortVersion } from "../analyse/versions.ts";
import { behaviourOf } from "../conformance/behaviour.ts";
import { UserError } from "../errors.ts";
import { readVersions } from "../machine/versions.ts";
import { chosenProxies, readProxies } from "../plan/proxies.ts";
import { Project } from "../platform/compose.ts";
import { run } from "../platform/subprocess.ts";
import { behaviourBlocks } from "../report/behaviour.ts";
import { markdownOf } from "../report/markdown.ts";
import { setup, unavailableProxies } from "./setup.ts";
import { targetOf, withProxy } from "./started-proxy.ts";
import type { Behaviour, Watch } from "../model/behaviour.ts";
import type { Target } from "../conformance/connect.ts";
import type { Proxy } from "../plan/proxies.ts";

/** A minute is the longest default that many have. */
const WATCH: Watch = { idle: 75, ping: 20, reload: 10 };
/** A message of 16 MiB, or a pong that nobody sends. */
const TIMEOUT_MS = 20_000;
/** Engines have addresses for about 30 networks. */
const AT_A_TIME = 8;

/**
 * @param directory the project's
 * @param names of proxies and groups; none: all that carry WebSockets
 * @param print of Markdown
 * @returns exit status: 1 when one could not be looked at
 */
export async function behaviour(
  directory: string,
  names: string[],
  say: (line: string) => void,
  print: (line: string) => void,
): Promise<number> {
  // A wrong name is better known before images are built.
  const proxies = readProxies(join(directory, "proxies"));
  const chosen = chosenProxies(proxies, names).filter(({ serves }) => serves === "websockets");
  await setup(directory, say, { proxies: chosen.map(({ name }) => name) });
  const config = await new Project(directory, { profile: "*" }).config();
  const unavailable = await unavailableProxies(directory, config, chosen);
  const available = chosen.filter(({ name }) => !unavailable.has(name));
  for (const [name, reason] of unavailable) say(`${name}: ${reason}`);
  const images = available.flatMap(({ name }) => {
    const { image } = config.services[name];
    return image ? [[name, image]] : [];
  });
  const versions = await readVersions(Object.fromEntries(images), available, run);
  say(`looks at ${available.length} proxies for ${WATCH.idle} s and more`);
  const found: Map<string, Behaviour> = new Map();
  const queue = available.values();
  const lookAtNext = async () => {
    for (const proxy of queue) {
      try {
        found.set(proxy.name, await lookAt(directory, proxy));
        say(`${proxy.name}: done`);
      } catch (error) {
        // The other proxies are still worth a look.
        if (!(error instanceof UserError)) throw error;
        say(`${proxy.name}: ${error.message}\n${error.next}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lookAtNext));
  const looked = available.flatMap(({ name, title }) => {
    const one = found.get(name);
    return one ? [{ title, version: shortVersion(versions[name].version), behaviour: one }] : [];
  });
  const command = ["./bench verify --behaviour", ...names].join(" ");
  print(markdownOf(behaviourBlocks(looked, WATCH, command)).trimEnd());
  return looked.length === chosen.length ? 0 : 1;
}

function lookAt(directory: string, proxy: Proxy): Promise<Behaviour> {
  return withProxy(directory, proxy, async (started) => {
    const host = await started.address();
    // Of TLS it is not asked: a client that names no server may be refused.
    const [first] = proxy.schemes;
    if (first === "ws") await started.waitFor("ws", host);
    const { signal } = new AbortController();
    const shared = { ...targetOf(started, proxy), host, idleMs: 0, timeoutMs: TIMEOUT_MS, signal };
    const plain: Target = { ...shared, scheme: "ws", port: 8080 };
    const secure: Target = { ...shared, scheme: "wss", port: 8443 };
    const [main] = [plain, secure].filter(({ scheme }) => proxy.schemes.includes(scheme));
    return behaviourOf(main, proxy.schemes.includes("wss") ? secure : null, WATCH);
  });
}
