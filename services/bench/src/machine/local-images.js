/**
 * Which proxies can be started by their images alone.
 */

/** @import { Proxy } from "../plan/proxies.js" */
/** @import { ComposeConfig } from "../platform/docker.js" */

/**
 * @param {ComposeConfig} config
 * @param {Pick<Proxy, "name">[]} proxies
 * @param {Map<string, string>} present images that are here
 * @returns {Map<string, string>} by name of each proxy that lacks one: why
 */
export function withoutImage(config, proxies, present) {
  return new Map(
    proxies.flatMap(({ name }) => {
      const absent = imagesOf(config, name).find((image) => !present.has(image));
      return absent ? [[name, absenceOf(absent)]] : [];
    }),
  );
}

/**
 * @param {ComposeConfig} config
 * @param {string} profile
 * @returns {string[]} of its services
 */
export function imagesOf({ services }, profile) {
  return Object.values(services).flatMap(({ image, profiles }) =>
    image && profiles?.includes(profile) ? [image] : [],
  );
}

/** @param {string} image that is not on this machine */
function absenceOf(image) {
  return image.startsWith("ws-proxy-bench/")
    ? `no registry answers, and the local build of ${image} failed: see .bench/`
    : `no registry answers, and no local build stands in for ${image}`;
}
