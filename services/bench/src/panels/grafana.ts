/** The one module that asks a Grafana: for its own pictures, and to keep a snapshot. */
import { UserError } from "../errors.ts";
import { messageOf } from "./dashboards.ts";
import type { Choice, Range } from "./query.ts";
import type { Snapshot } from "./snapshot.ts";

/** What a browser needs for a panel, with one that has just started. */
const RENDER_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 15_000;
/** Of a picture in CSS pixels, and pixels for each. */
const SIZE = { width: "900", height: "450", scale: "2" };

export type Grafana = {
  /** Whether it can draw. */
  canRender: () => Promise<boolean>;
  /** @returns a PNG */
  picture: (what: Picture) => Promise<Uint8Array>;
  keep: (snapshot: Snapshot) => Promise<{ url: string; deleteUrl: string }>;
};
type Picture = Range & {
  /** Of the dashboard. */
  uid: string;
  panel: number;
  variables: Choice["variables"];
  theme: "light" | "dark";
};

/**
 * @param address with `user:password@` where it asks for them
 * @param token of a service account
 * @throws {UserError} when it is no address; exit code 2. Later, when it does not answer.
 */
export function grafanaAt(address: string, token?: string): Grafana {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    const next = "Expected such as http://127.0.0.1:3000.";
    throw new UserError(`${address} is no address of a Grafana`, next, 2);
  }
  const { origin, pathname, username, password } = new URL(address);
  // Without the password: it is shown in errors.
  const url = `${origin}${pathname.replace(/\/$/, "")}`;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = username && `Basic ${Buffer.from(login).toString("base64")}`;
  const authorization = token ? `Bearer ${token}` : basic;
  const headers = { "content-type": "application/json", ...(authorization && { authorization }) };

  const ask = async (path: string, options: RequestInit = {}, limitMs = REQUEST_LIMIT_MS) => {
    try {
      const signal = AbortSignal.timeout(limitMs);
      return await fetch(url + path, { ...options, headers, signal });
    } catch (error) {
      const { name, cause } = error as Error;
      const isLate = name === "TimeoutError";
      const why = isLate ? `no answer within ${limitMs / 1000} s` : (cause ?? messageOf(error));
      throw new UserError(`Grafana at ${url}: ${why}`, "Start it, or correct the address.");
    }
  };

  return {
    async canRender() {
      const response = await ask("/api/frontend/settings");
      return response.ok && Boolean((await response.json()).rendererAvailable);
    },

    async picture({ uid, panel, fromMs, toMs, variables, theme }) {
      const all = { orgId: "1", panelId: panel, ...SIZE, from: fromMs, to: toMs, theme, tz: "UTC" };
      const query = new URLSearchParams(
        Object.entries(all).map(([key, value]) => [key, String(value)]),
      );
      for (const [name, { values, all }] of Object.entries(variables))
        for (const value of all ? ["$__all"] : values) query.append(`var-${name}`, value);
      const path = `/render/d-solo/${uid}/_?${query}`;
      const response = await ask(path, {}, RENDER_LIMIT_MS);
      if (response.ok && response.headers.get("content-type")?.startsWith("image/png"))
        return new Uint8Array(await response.arrayBuffer());
      const fact = `status ${response.status}, ${await reason(response)}`;
      throw new Error(`Grafana drew no picture: ${fact}; asked: ${path}`);
    },

    async keep(snapshot) {
      const body = JSON.stringify(snapshot);
      const response = await ask("/api/snapshots", { method: "POST", body });
      if (response.ok) return await response.json();
      const fact = `status ${response.status}, ${await reason(response)}`;
      throw new UserError(
        `Grafana at ${url} did not take the snapshot: ${fact}`,
        response.status === 401 || response.status === 403
          ? "Expected an account that may make snapshots: set GRAFANA_TOKEN to the token of a service account, or write http://user:password@host:3000."
          : "See Grafana's log, or write a file: --snapshot FILE.json",
      );
    },
  };
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 200) || "without a word";
  }
}
