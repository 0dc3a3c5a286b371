/**
 * Which versions a run measured, and who built them: the first thing to know of a figure.
 *
 * @import { Results } from "../model/record.ts"
 */
import { list } from "./words.js";

/**
 * As programs tell it: `nginx version: nginx/1.26.3`, `HAProxy version 3.0.11-1 2026/05/20`, `ws 8.23.0`; with a commit before it:
 * `envoy  version: 9e5580…/1.40.0/Clean`.
 */
const NAME_AND_VERSION = /([A-Za-z][\w-]*)(?: +version)?[ /:]+(?:[0-9a-f]{40}\/)?v?(\d+(?:\.\d+)+)/;
/** A tag of this project's own is that of a build in offline/ (`ws-proxy-bench/nginx:1.26`); its own programs have none. */
const LOCAL_BUILD = /^ws-proxy-bench\/[^,]+:/;
const OWN = /^ws-proxy-bench\//;

/**
 * @param {Results} results
 * @returns {string} a sentence or two; empty: the record does not tell
 */
export function versionsText(results) {
  const measured = versionsOf(results, partsOf(results));
  if (measured.length === 0) return "";
  return [`Measured: ${list(measured)}.`, buildsText(results)].filter(Boolean).join(" ");
}

/**
 * @param {Results} results
 * @returns {string} who built what was measured, a sentence; empty: the record does not tell
 */
export function buildsText(results) {
  const { Images: images = {} } = results.environment.details;
  const builds = partsOf(results).map((service) => String(images[service] ?? ""));
  const others = builds.filter((image) => image && !OWN.test(image));
  const local = builds.filter((image) => LOCAL_BUILD.test(image));
  if (local.length > 0 && others.length === 0)
    return "Built on the machine from packages (offline/), not the official images.";
  if (local.length > 0)
    return "Some were built on the machine from packages (offline/), the others are official images.";
  return others.length > 0 ? "Official images." : "";
}

/**
 * @param {Pick<Results, "cells" | "proxies">} results
 * @returns {string[]} services of the proxies that were not left out
 */
function partsOf({ cells, proxies }) {
  const isLeftOut = (/** @type {Results["proxies"][number]} */ { name }) =>
    cells.some(({ proxy }) => proxy === name) &&
    cells.every(({ proxy, status }) => proxy !== name || status === "skipped");
  return proxies.filter((proxy) => !isLeftOut(proxy)).flatMap((proxy) => proxy.parts);
}

/**
 * @param {Pick<Results, "environment">} results
 * @param {string[]} parts services
 * @returns {string[]} `nginx 1.26.3`, each once; without those that the record does not tell
 */
export function versionsOf({ environment: { details } }, parts) {
  const { Versions: versions = {} } = details;
  const told = parts.flatMap((service) => {
    const [, name, version] = String(versions[service] ?? "").match(NAME_AND_VERSION) ?? [];
    return version ? `${name} ${version}` : [];
  });
  return [...new Set(told)];
}
