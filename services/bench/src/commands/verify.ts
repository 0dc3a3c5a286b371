/**
 * `verify`: every proxy passes the same conformance checks before anything is measured.
 */
import { join } from "node:path";
import {
  decidingLines,
  formatResult,
  HELD,
  IDLE_MS,
  matrixOf,
  oneByOne,
  runConformance,
} from "../conformance/index.ts";
import { Project } from "../platform/compose.ts";
import { UserError } from "../errors.ts";
import { chosenProxies, readProxies } from "../plan/proxies.ts";
import { heading, table } from "../report/block.ts";
import { markdownOf } from "../report/markdown.ts";
import { tableText } from "../report/terminal.ts";
import { workThrough } from "../platform/wait.ts";
import { setup, unavailableProxies } from "./setup.ts";
import { targetOf, withProxy } from "./started-proxy.ts";
import type { Checked, CheckResult, Matrix, Turns } from "../conformance/index.ts";
import type { Proxy } from "../plan/proxies.ts";

/** Proxies: each waits more than it works, most of all for idle connections. */
const AT_ONCE = 3;

interface Looked {
  /** null: it carries no WebSockets, or could not be checked */
  checked: Checked | null;
  broken: string | null;
}

interface Wanted {
  /** seconds; default: IDLE_MS */
  idle?: number;
  /** print gets the capability matrix alone, say all else */
  markdown: boolean;
}

/**
 * @param directory the project's
 * @param names of proxies and groups; none: all
 * @param say progress
 * @returns exit status: 1 when a check failed
 */
export async function verify(
  directory: string,
  names: string[],
  { idle, markdown }: Wanted,
  say: (line: string) => void,
  print: (line: string) => void,
): Promise<number> {
  // A wrong name is better known before images are built.
  const chosen = chosenProxies(readProxies(join(directory, "proxies")), names);
  await setup(directory, say, { proxies: chosen.map(({ name }) => name) });
  const idleMs = idle && 1_000 * idle;
  if (!markdown) return verifyProxies(directory, names, print, { idleMs });
  const options = ["--markdown", ...(idle ? [`--idle ${idle}`] : [])];
  const command = ["./bench verify", ...options, ...names].join(" ");
  const show = (tables: Matrix[]) => print(pageOf(tables, command));
  return verifyProxies(directory, names, say, { idleMs, show });
}

/**
 * @param directory the project's, which is set up
 * @param names of proxies and groups; none: all
 * @param options show: of the capability matrix; default: prints it
 * @returns exit status: 1 when a check failed
 */
export async function verifyProxies(
  directory: string,
  names: string[],
  print: (line: string) => void,
  {
    idleMs = IDLE_MS,
    show = (tables) => print(`\n${matrixText(tables)}\n`),
  }: { idleMs?: number; show?: (tables: Matrix[]) => void } = {},
): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const chosen = chosenProxies(proxies, names);
  const config = await new Project(directory, { profile: "*" }).config();
  const unavailable = await unavailableProxies(directory, config, chosen);
  const available = chosen.filter(({ name }) => !unavailable.has(name));
  for (const [name, reason] of unavailable) print(`${name}\n  skip ${reason}`);
  const whenAlone = oneByOne();
  const look = async (proxy: Proxy): Promise<Looked> => {
    const { name, title } = proxy;
    const lines: string[] = [];
    // The lines of one proxy stay together.
    const say = available.length > 1 ? (line: string) => void lines.push(line) : print;
    say(name);
    try {
      const results = await verifyOne(directory, proxy, say, idleMs, whenAlone);
      const failures = results.filter(({ ok }) => !ok).length;
      return {
        checked:
          proxy.serves === "websockets"
            ? { title, results, lines: decidingLines(config, name) }
            : null,
        broken: failures > 0 ? `${name} (${failures} failed)` : null,
      };
    } catch (error) {
      // The other proxies are still worth a look.
      if (!(error instanceof UserError)) throw error;
      say(`  FAIL ${error.message}\n${error.next}`.replace(/\n/g, "\n       "));
      return { checked: null, broken: `${name} (could not be checked)` };
    } finally {
      if (lines.length > 0) print(lines.join("\n"));
    }
  };
  const looked = await workThrough(available, AT_ONCE, look);
  const broken = looked.flatMap((one) => one.broken ?? []);
  const checked = looked.flatMap((one) => one.checked ?? []);
  if (checked.length > 0) show(matrixOf(checked, idleMs));
  if (unavailable.size > 0) print(`not checked: ${[...unavailable.keys()].join(", ")}`);
  if (broken.length > 0) print(`not passed: ${broken.join(", ")}`);
  else if (available.length > 0)
    print(`all checks passed: ${available.map(({ name }) => name).join(", ")}`);
  return broken.length === 0 ? 0 : 1;
}

/**
 * @param idleMs how long an idle connection must stay open
 * @param whenAlone where others are verified at the same time
 */
export function verifyOne(
  directory: string,
  proxy: Proxy,
  print: (line: string) => void,
  idleMs = IDLE_MS,
  whenAlone?: Turns,
): Promise<CheckResult[]> {
  return withProxy(directory, proxy, async (started) => {
    const address = await started.address();
    for (const scheme of proxy.schemes) await started.waitFor(scheme, address);
    return runConformance({
      ...targetOf(started, proxy),
      host: "proxy",
      address,
      whenAlone,
      schemes: proxy.schemes,
      serves: proxy.serves,
      tuned: proxy.tuned,
      held: HELD,
      drain: started.drain,
      idleMs,
      onResult: (result) => print(`  ${formatResult(result)}`),
    });
  });
}

/** @returns for a terminal, with an empty line between tables */
function matrixText(tables: Matrix[]): string {
  return tables.map((one) => tableText(one).join("\n")).join("\n\n");
}

/** @param command that prints it */
function pageOf(tables: Matrix[], command: string): string {
  return markdownOf([
    heading(1, "What proxies can do"),
    {
      kind: "text",
      text: `Found on ${new Date().toISOString().slice(0, 10)} by checks of the configurations in proxies/, beside the lines that decide. To print this page:`,
    },
    { kind: "code", text: command },
    ...tables.flatMap(({ title, ...one }) => [
      ...(title ? [heading(2, title)] : []),
      table({ ...one, title: "" }),
    ]),
  ]).trimEnd();
}
