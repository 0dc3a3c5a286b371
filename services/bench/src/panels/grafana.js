/**
 * The one module that asks a Grafana: for its own pictures, and to keep a snapshot.
 */
import { UserError } from "../errors.js";

/** What a browser needs for a panel, with one that has just started. */
const RENDER_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 15_000;
/** Height and width of a picture in CSS pixels, and pixels for each. */
const SIZE = { width: "900", height: "450", scale: "2" };

export class Grafana {
  #url;
  /** @type {Record<string, string>} */
  #headers = { "content-type": "application/json" };

  /**
   * @param {string} url with `user:password@` where it asks for them
   * @param {{token?: string}} [options] token: of a service account
   * @throws {UserError} when it is no address; exit code 2
   */
  constructor(url, { token } = {}) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new UserError(
        `${url} is no address of a Grafana`,
        "Expected such as http://127.0.0.1:3000.",
        2,
      );
    const { origin, pathname, username, password } = new URL(url);
    // Without the password: it is shown in errors.
    this.#url = `${origin}${pathname.replace(/\/$/, "")}`;
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    if (token) this.#headers.authorization = `Bearer ${token}`;
    else if (username)
      this.#headers.authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  }

  /**
   * @returns {Promise<boolean>} whether it can draw
   * @throws {UserError} when it does not answer
   */
  async canRender() {
    const response = await this.#fetch("/api/frontend/settings");
    return response.ok && Boolean((await response.json()).rendererAvailable);
  }

  /**
   * @param {object} what
   * @param {string} what.uid of the dashboard
   * @param {number} what.panel its id
   * @param {number} what.fromMs
   * @param {number} what.toMs
   * @param {Record<string, string[]>} what.variables
   * @param {"light" | "dark"} what.theme
   * @returns {Promise<Uint8Array>} a PNG
   * @throws {Error} when it makes none
   */
  async picture({ uid, panel, fromMs, toMs, variables, theme }) {
    const query = new URLSearchParams({ orgId: "1", panelId: String(panel), ...SIZE });
    for (const [key, value] of Object.entries({ from: fromMs, to: toMs, theme, tz: "UTC" }))
      query.set(key, String(value));
    for (const [name, values] of Object.entries(variables))
      for (const value of values) query.append(`var-${name}`, value);
    const path = `/render/d-solo/${uid}/_?${query}`;
    const response = await this.#fetch(path, {}, RENDER_LIMIT_MS);
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && type.startsWith("image/png"))
      return new Uint8Array(await response.arrayBuffer());
    throw new Error(
      `Grafana drew no picture: status ${response.status}, ${await reason(response)}; asked: ${path}`,
    );
  }

  /**
   * @param {unknown} snapshot body of POST /api/snapshots
   * @returns {Promise<{url: string, deleteUrl: string}>}
   * @throws {UserError} when it is refused
   */
  async keep(snapshot) {
    const response = await this.#fetch("/api/snapshots", {
      method: "POST",
      body: JSON.stringify(snapshot),
    });
    if (response.ok) {
      const { url, deleteUrl } = await response.json();
      return { url, deleteUrl };
    }
    const isDenied = response.status === 401 || response.status === 403;
    throw new UserError(
      `Grafana at ${this.#url} did not take the snapshot: status ${response.status}, ${await reason(response)}`,
      isDenied
        ? "Expected an account that may make snapshots: set GRAFANA_TOKEN to the token of a service account, or write http://user:password@host:3000."
        : "See Grafana's log, or write a file: --snapshot FILE.json",
    );
  }

  /**
   * @param {string} path
   * @param {RequestInit} [options]
   * @param {number} [limitMs]
   */
  async #fetch(path, options = {}, limitMs = REQUEST_LIMIT_MS) {
    try {
      return await fetch(this.#url + path, {
        ...options,
        headers: this.#headers,
        signal: AbortSignal.timeout(limitMs),
      });
    } catch (error) {
      const { name, message, cause } = /** @type {Error} */ (error);
      const why =
        name === "TimeoutError" ? `no answer within ${limitMs / 1000} s` : String(cause ?? message);
      throw new UserError(`Grafana at ${this.#url}: ${why}`, "Start it, or correct the address.");
    }
  }
}

/** @param {Response} response */
async function reason(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 200) || "without a word";
  }
}
