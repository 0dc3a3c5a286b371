/**
 * A project folder for tests: one battle, the scenarios and proxies that this project has.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProxies } from "../proxies.ts";
import { readBattle } from "../battle.ts";
import type { TestContext } from "node:test";

/** Of this project. */
export const root = join(import.meta.dirname, "../../../../..");

export const proxies = readProxies(join(root, "proxies"));

/**
 * Those that a battle of all has as long as nobody adds one: what shipped battles are sized for.
 */
export const five = proxies.filter(({ name }) =>
  ["none", "nginx", "haproxy", "haproxy-hitch", "http-proxy"].includes(name),
);

/** Line numbers count: tests name them. */
export const BATTLE = `title: Test
proxies: [nginx, haproxy]
rounds: 2
seed: 1
tests:
  - scenario: short-lived
    schemes: [ws, wss]
    parameters:
      CONNECTIONS: [100, 200]
      CONCURRENCY: 100
    warmUp: { CONNECTIONS: 100 }
`;

/**
 * @param battle content of battles/test.yaml
 * @returns the folder; removed when the test ends
 */
export function projectWith(t: TestContext, battle: string = BATTLE): string {
  const directory = mkdtempSync(join(tmpdir(), "plan-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "battles/published"), { recursive: true });
  cpSync(join(root, "loadgen"), join(directory, "loadgen"), { recursive: true });
  writeFileSync(join(directory, "battles/published/study-2013.yaml"), "");
  writeFileSync(join(directory, "battles/test.yaml"), battle);
  return directory;
}

export function battleOf(t: TestContext, text?: string) {
  return readBattle(projectWith(t, text), "test", { proxies });
}
