/**
 * Which versions a run measured, and who built them: the first thing to know of a figure.
 *
 * @import { Results } from "../record/types.js"
 */
import { list } from "./words.js";

/** As programs tell it: `nginx version: nginx/1.26.3`, `HAProxy version 3.0.11-1 2026/05/20`, `ws 8.23.0`. */
const NAME_AND_VERSION = /([A-Za-z][\w-]*)(?: version)?[ /:]+v?(\d+(?:\.\d+)+)/;
/** A tag of this project's own is that of a build in offline/ (`ws-proxy-bench/nginx:1.26`); its own programs have none. */
const LOCAL_BUILD = /^ws-proxy-bench\/[^,]+:/;
const OWN = /^ws-proxy-bench\//;

/**
 * @param {Results} results
 * @returns {string} a sentence or two; empty: the record does not tell
 */
export function versionsText({ environment: { details }, proxies }) {
  const { Versions: versions = {}, Images: images = {} } = details;
  const parts = proxies.flatMap((proxy) => proxy.parts);
  const told = parts.flatMap((service) => {
    const [, name, version] = String(versions[service] ?? "").match(NAME_AND_VERSION) ?? [];
    return version ? `${name} ${version}` : [];
  });
  const measured = [...new Set(told)];
  if (measured.length === 0) return "";
  const builds = parts.map((service) => String(images[service] ?? ""));
  const others = builds.filter((image) => image && !OWN.test(image));
  const local = builds.filter((image) => LOCAL_BUILD.test(image));
  return [
    `Measured: ${list(measured)}.`,
    ...(local.length > 0 && others.length === 0
      ? ["Built on the machine from packages (offline/), not the official images."]
      : []),
    ...(local.length > 0 && others.length > 0
      ? ["Some were built on the machine from packages (offline/), the others are official images."]
      : []),
    ...(local.length === 0 && others.length > 0 ? ["Official images."] : []),
  ].join(" ");
}
