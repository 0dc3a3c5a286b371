/**
 * Writes every dashboard to generated/. The same sources always give the same bytes.
 *
 *     node dashboards/src/generate.ts
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { battle } from "./dashboards/battle.ts";
import { compare } from "./dashboards/compare.ts";
import { proxiesLive } from "./dashboards/proxies-live.ts";
import { discoverProxies } from "./proxies.ts";

const PROXIES = fileURLToPath(new URL("../../proxies", import.meta.url));

/** Where the files go, and where Grafana reads them. */
export const GENERATED = fileURLToPath(new URL("../generated", import.meta.url));

/** @returns each dashboard's JSON by its file name */
export function generate(): Map<string, string> {
  const proxies = discoverProxies(PROXIES);
  const dashboards = [proxiesLive(proxies), battle(proxies), compare(proxies)];
  return new Map(
    dashboards.map((dashboard) => [
      `${dashboard.uid}.json`,
      `${JSON.stringify(dashboard, null, 2)}\n`,
    ]),
  );
}

if (import.meta.main) {
  mkdirSync(GENERATED, { recursive: true });
  for (const [name, json] of generate()) writeFileSync(join(GENERATED, name), json);
}
