/**
 * Versions of a proxy as entrants of their own: its folder with another image.
 */
import schema from "./battle.schema.json" with { type: "json" };
import type { Versions } from "../model/plan.ts";
import type { Proxy } from "./proxies.ts";

/** Numbers with points between them. */
export const VERSION = new RegExp(schema.properties.versions.additionalProperties.items.pattern);

/** @returns of an entrant, its profile and its service */
export function versionName(proxy: string, version: string): string {
  return `${proxy}-${version}`;
}

/** @returns a proxy as it is, where no versions of it are wanted */
export function versionsOf(proxy: Proxy, versions: Versions = {}): Proxy[] {
  return (
    versions[proxy.name]?.map((version) => ({
      ...proxy,
      name: versionName(proxy.name, version),
      title: `${proxy.title} ${version}`,
      variantOf: { proxy: proxy.name, differs: `version ${version}` },
      groups: [],
      sameWorkAs: null,
    })) ?? [proxy]
  );
}

/** Of a sort: 3.9 is older than 3.10. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  const i = left.findIndex((part, place) => part !== right[place]);
  return i < 0 ? left.length - right.length : left[i] - (right[i] ?? -1);
}

/**
 * @param from, to: a version, or a series with all of its releases
 * @returns those from the one to the other, the oldest first
 */
export function versionsBetween(all: string[], from: string, to: string): string[] {
  const isInLast = (version: string) => `${version}.`.startsWith(`${to}.`);
  return [...new Set(all)]
    .toSorted(compareVersions)
    .filter((version) => compareVersions(version, from) >= 0)
    .filter((version) => isInLast(version) || compareVersions(version, to) <= 0);
}
