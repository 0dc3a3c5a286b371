/**
 * The lines of a proxy's own configuration that decide what it can do.
 */
import { readFileSync, statSync } from "node:fs";
import type { ComposeConfig } from "../platform/compose.ts";
import type { CapabilityId } from "./capabilities.ts";

export type DecidingLines = Partial<Record<CapabilityId, Lines>>;

interface Lines {
  /** texts: place and line */
  found: string[];
  /** directives that it would need */
  missing: string[];
}

/** The beginnings of directives; any case, any space between words. */
type Directives = Partial<Record<CapabilityId, string[]>>;

interface Deciding {
  /** where it cannot, a missing one is why */
  needs: Directives;
  /** a default stands in for a missing one; one that is there, for what `needs` has */
  sets: Directives;
}

/** By the folder of the configuration in the container. */
export const DIRECTIVES: Record<string, Deciding> = {
  "/etc/nginx/": {
    needs: {
      upgrade: ["proxy_set_header Upgrade", "proxy_set_header Connection"],
      host: ["proxy_set_header Host "],
      "forwarded-for": ["proxy_set_header X-Forwarded-For"],
      "forwarded-proto": ["proxy_set_header X-Forwarded-Proto"],
      idle: ["proxy_read_timeout"],
    },
    sets: {
      // Of a stream.
      idle: ["proxy_timeout"],
      held: ["worker_connections"],
      reload: ["worker_shutdown_timeout"],
      drain: ["worker_shutdown_timeout"],
      ...tls("ssl_protocols"),
      resumption: ["ssl_session_tickets", "ssl_session_cache"],
    },
  },
  "/usr/local/etc/haproxy/": {
    needs: {
      "forwarded-for": ["option forwardfor"],
      "forwarded-proto": ["http-request set-header X-Forwarded-Proto"],
      idle: ["timeout tunnel"],
    },
    sets: {
      http2: ["alpn h2"],
      reload: ["hard-stop-after"],
      drain: ["hard-stop-after"],
      ...tls("ssl-min-ver"),
    },
  },
  "/etc/envoy/": {
    needs: {
      upgrade: ["upgrade_type: websocket"],
      "forwarded-for": ["use_remote_address: true"],
      "forwarded-proto": ["use_remote_address: true"],
    },
    sets: {
      http2: ["codec_type:"],
      idle: ["stream_idle_timeout:"],
      held: ["max_connections:"],
      ...tls("tls_minimum_protocol_version:"),
    },
  },
  "/etc/caddy/": {
    needs: { reload: ["stream_close_delay"] },
    sets: { http2: ["protocols h"], drain: ["shutdown_delay"], ...tls("protocols tls") },
  },
  "/etc/traefik/": {
    needs: { "forwarded-proto": ["X-Forwarded-Proto:"] },
    sets: { http2: ["alpnProtocols:"], ...tls("minVersion:") },
  },
  "/usr/local/apache2/conf/": {
    needs: {
      upgrade: ["upgrade=websocket"],
      host: ["ProxyPreserveHost On"],
      "forwarded-proto": ["RequestHeader set X-Forwarded-Proto"],
    },
    sets: {
      idle: ["timeout="],
      held: ["MaxRequestWorkers"],
      "forwarded-for": ["RequestHeader append X-Forwarded-For"],
      ...tls("SSLProtocol"),
      resumption: ["SSLSessionTickets"],
    },
  },
  "/etc/hitch/": {
    needs: {},
    sets: { http2: ["alpn-protos"], ...tls("tls-protos") },
  },
};

function tls(directive: string): Directives {
  return { tls13: [directive], tls12: [directive], "old-tls": [directive] };
}

interface ConfigFile {
  /** in the folder of its proxy */
  name: string;
  text: string;
}

/** @param proxy name of a profile */
export function decidingLines({ services }: ComposeConfig, proxy: string): DecidingLines {
  const mounted = Object.values(services)
    .filter(({ profiles }) => profiles?.includes(proxy))
    .flatMap(({ volumes = [] }) => volumes);
  const lines: DecidingLines = {};
  for (const [folder, directives] of Object.entries(DIRECTIVES)) {
    const files = mounted
      .filter(({ target, source }) => target.startsWith(folder) && isFile(source))
      .map(({ source }) => ({
        // Those that are tried have a folder of their own.
        name: source.replace(/^.*\/proxies\/[^/]+\/(files\/)?/, ""),
        text: readFileSync(source, "utf8"),
      }));
    if (files.length > 0) add(lines, linesOf(files, directives));
  }
  return lines;
}

function isFile(path: string) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function linesOf(files: ConfigFile[], { needs, sets }: Deciding): DecidingLines {
  const ids = Object.keys({ ...needs, ...sets }) as CapabilityId[];
  const lines = ids.map((id): [CapabilityId, Lines] => {
    const needed = (needs[id] ?? []).map((directive) => ({
      directive,
      found: find(files, directive),
    }));
    const set = (sets[id] ?? []).flatMap((directive) => find(files, directive));
    const missing = set.length > 0 ? [] : needed.filter(({ found }) => found.length === 0);
    return [
      id,
      {
        found: [...needed.flatMap(({ found }) => found), ...set],
        missing: missing.map(({ directive }) => directive.replace(/[:=]?\s*$/, "")),
      },
    ];
  });
  return Object.fromEntries(lines);
}

function add(to: DecidingLines, more: DecidingLines) {
  for (const [id, { found, missing }] of Object.entries(more)) {
    const known = (to[id as CapabilityId] ??= { found: [], missing: [] });
    known.found.push(...found);
    known.missing.push(...missing);
  }
}

/** @returns nothing, or one text: the first line, and where there are others */
function find(files: ConfigFile[], directive: string): string[] {
  const words = directive.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+");
  const pattern = new RegExp(`(^|[\\s"'{\\[])${words}`, "i");
  const [first, ...others] = files.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, i) => {
      const code = line
        .replace(/(^|\s)#.*$/, "")
        .trim()
        .replace(/;$/, "");
      return pattern.test(code) ? [{ place: `${name}:${i + 1}`, code }] : [];
    }),
  );
  if (!first) return [];
  const also = others.length > 0 ? ` (also ${others.map(({ place }) => place).join(", ")})` : "";
  return [`${first.place} ${first.code.replace(/\s+/g, " ")}${also}`];
}
