/**
 * What watches the cells of a run, and stays up from one to the next: cAdvisor, InfluxDB, Grafana.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { Project } from "../platform/compose.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { until } from "../platform/wait.ts";
import { projectBeside } from "./cell-projects.ts";
import { keepCurves } from "./curves.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Store } from "../record/store.ts";

/** The label of their services in Compose. */
const LABEL = "ws-proxy-bench.observer";
/** cAdvisor's last points are in InfluxDB this many ms after they were taken. */
const CADVISOR_DELAY_MS = 2500;
const INFLUXDB_LIMIT_MS = 30_000;

/**
 * @param config with every profile
 * @returns services; one whose image this machine lacks has a profile, by which nothing starts it
 */
export function observersOf({ services }: Pick<ComposeConfig, "services">): string[] {
  return Object.entries(services).flatMap(([name, { labels, profiles = [] }]) =>
    labels?.[LABEL] === "true" && profiles.length === 0 ? [name] : [],
  );
}

export class Observers {
  #project: Project;
  #name: string;
  #signal: AbortSignal;
  influx = new Influx(INFLUXDB_URL);
  services: string[];

  /**
   * @param directory the project's
   * @param config with every profile
   */
  constructor(directory: string, config: ComposeConfig, signal: AbortSignal) {
    this.#project = new Project(directory, { name: config.name });
    this.#name = config.name;
    this.#signal = signal;
    this.services = observersOf(config);
  }

  async start() {
    const signal = this.#signal;
    await this.#project.readOnce();
    await this.#project.check(["up", "--detach", "--no-deps", ...this.services], { signal });
  }

  /** @throws {UserError} when InfluxDB has not its databases */
  async ready() {
    const databases = await until(
      Date.now() + INFLUXDB_LIMIT_MS,
      () => {
        this.#signal.throwIfAborted();
        return this.influx.databases().catch(() => [] as string[]);
      },
      (names) => names.includes("cadvisor"),
    );
    if (databases.includes("cadvisor")) return;
    throw new UserError(
      `InfluxDB has no database cadvisor after ${INFLUXDB_LIMIT_MS / 1000} s`,
      "They are created in an empty volume; ./bench down --data removes the old one. See also: docker compose logs influxdb",
    );
  }

  /**
   * When all cells have ended.
   *
   * @param store gets the curves of each
   * @param say what is missing
   */
  async keepCurves(store: Store, say: (text: string) => void) {
    const { cells, sideBySide } = store.results.plan;
    if (cells.some(({ observed }) => !observed)) {
      // The last cell may have been one without; InfluxDB's volume still has the curves of the
      // others.
      await this.start();
      await this.ready();
    }
    await sleep(CADVISOR_DELAY_MS, undefined, { signal: this.#signal });
    try {
      const projectOf = (proxy: string) =>
        sideBySide ? projectBeside(this.#name, proxy) : this.#name;
      const missing = await keepCurves(store, this.influx, projectOf);
      if (missing > 0) say(`no curves of cAdvisor for ${missing} cells: InfluxDB has none`);
    } catch (error) {
      // The figures do not rest on the curves.
      const why = error instanceof Error ? error.message : error;
      say(`the curves of cAdvisor are not kept: ${why}`);
    }
  }
}
