/**
 * Which proxies can be started by their images alone.
 */

import type { Proxy } from "../plan/proxies.ts";
import type { ComposeConfig } from "../platform/compose.ts";

/**
 * @param present images that are here
 * @returns by name of each proxy that lacks one: why
 */
export function withoutImage(
  config: ComposeConfig,
  proxies: Pick<Proxy, "name">[],
  present: Map<string, string>,
): Map<string, string> {
  return new Map(
    proxies.flatMap(({ name }) => {
      const absent = imagesOf(config, name).find((image) => !present.has(image));
      return absent ? [[name, absenceOf(absent)]] : [];
    }),
  );
}

/** @returns of its services */
export function imagesOf({ services }: ComposeConfig, profile: string): string[] {
  return Object.values(services).flatMap(({ image, profiles }) =>
    image && profiles?.includes(profile) ? [image] : [],
  );
}

/** @param image that is not on this machine */
function absenceOf(image: string) {
  return image.startsWith("ws-proxy-bench/")
    ? `no registry answers, and the local build of ${image} failed: see .bench/`
    : `no registry answers, and no local build stands in for ${image}`;
}
