import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** What the dashboards need to know of a proxy. */
export interface Proxy {
  /** its folder, its Compose service and its `proxy` tag */
  name: string;
  /** as #RRGGBB */
  colour: string;
  /** its further containers: `tls` for the service `<name>-tls` */
  parts: string[];
}

/**
 * @param folder the folder that holds one folder per proxy
 * @returns sorted by name, without those that are not tuned, or take part only by name: Grafana chooses their colours
 * @throws {Error} when a proxy's files cannot be read or lack what a dashboard needs
 */
export function discoverProxies(folder: string): Proxy[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => readProxy(folder, entry.name) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readProxy(folder: string, name: string): Proxy | null {
  const about = join(folder, name, "proxy.json");
  const { colour, tuned, onlyByName } = JSON.parse(readFileSync(about, "utf8"));
  if (tuned === false || onlyByName) return null;
  if (!/^#[0-9A-F]{6}$/i.test(colour)) {
    throw new Error(
      `${about}: "colour" is ${JSON.stringify(colour)}; expected #RRGGBB. ` +
        "Choose one that no other proxy has, from the Okabe-Ito palette if one is left.",
    );
  }
  const fragment = join(folder, name, "compose.yaml");
  // Compose has tags of its own, such as !override, which say nothing of names.
  const content = parse(readFileSync(fragment, "utf8"), { logLevel: "error" });
  const services = Object.keys(content?.services ?? {});
  if (!services.includes(name)) {
    throw new Error(
      `${fragment}: services are ${services.join(", ") || "missing"}; expected one named ${name}, as its folder.`,
    );
  }
  const parts = services
    .filter((service) => service.startsWith(`${name}-`))
    .map((service) => service.slice(name.length + 1));
  return { name, colour, parts };
}
