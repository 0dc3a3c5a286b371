/**
 * Which version of each program a run measured.
 */
import type { Results } from "../model/record.ts";

/**
 * As programs tell it: `nginx version: nginx/1.26.3`, `HAProxy version 3.0.11-1 2026/05/20`,
 * `ws 8.23.0`; with a commit before it: `envoy  version: 9e5580…/1.40.0/Clean`.
 */
const NAME_AND_VERSION = /([A-Za-z][\w-]*)(?: +version)?[ /:]+(?:[0-9a-f]{40}\/)?v?(\d+(?:\.\d+)+)/;

/**
 * @param parts services
 * @returns `nginx 1.26.3`, each once; without those that the record does not tell
 */
export function versionsOf(
  { environment: { details } }: Pick<Results, "environment">,
  parts: string[],
): string[] {
  const { Versions: versions = {} } = details;
  const told = parts.flatMap((service) => shortVersion(String(versions[service] ?? "")) ?? []);
  return [...new Set(told)];
}

/** @param told first line of what a program says; null: it is in none of the known forms */
export function shortVersion(told: string): string | null {
  const [, name, version] = told.match(NAME_AND_VERSION) ?? [];
  return version ? `${name} ${version}` : null;
}
