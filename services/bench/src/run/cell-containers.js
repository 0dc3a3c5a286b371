/**
 * The containers of one cell: started fresh, known by their roles, and removed with their logs kept.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "../plan/events.js";
import { allEnded } from "../platform/wait.js";
import { assertOneBudget } from "./cell-budget.js";
import { proxyOf } from "./cell-setup.js";
import { keptLog } from "./log.js";

/** @import { ContainerState } from "../platform/docker.js" */
/** @import { Role } from "../model/container.ts" */
/** @import { Log } from "./causes.js" */
/** @import { CellSetup } from "./cell-setup.js" */
/** @import { PlacedContainer } from "./placement.js" */

/** Of the servers behind a proxy, the one that counts connections and messages. */
export const ECHO = "echo";
/** The service of the reference proxy, and its role. */
const REFERENCE = "reference";

export class CellContainers {
  #setup;
  /** As they were when all had started. @type {PlacedContainer[]} */
  started = [];

  /** @param {CellSetup} setup */
  constructor(setup) {
    this.#setup = setup;
  }

  /** @throws {CellFailure} when one of them does not stay up */
  async start() {
    const { cell, context, generation, loads, project, watch } = this.#setup;
    const { observers, placement } = context;
    await project.readOnce();
    if (!cell.observed)
      await placement.remove(observers.map((service) => `${context.project}-${service}-1`));
    generation?.write(proxyOf(this.#setup).generation, 1);
    const wanted = this.#wanted();
    await allEnded([
      project.up(wanted, { observers, scale: this.#scale() }),
      loads.create(cell.loads),
    ]);
    const found = await placement.containersOf(context.project);
    this.started = found.filter(({ service }) => wanted.includes(service));
    watch.require(this.started);
    assertOneBudget(cell, context, this.ofRole("proxy"));
  }

  /** @returns {string[]} services */
  #wanted() {
    const { cell, context, workload } = this.#setup;
    return [
      ECHO,
      ...context.services[cell.profile],
      ...(workload.referenceShare > 0 ? [REFERENCE] : []),
      // What observes is up. Should some of it have died in the cell before, it starts again here.
      ...(cell.observed ? context.observers : []),
    ];
  }

  /** @returns {string[]} options of `up` */
  #scale() {
    const { event, servers = (event && EVENTS[event].servers) || 1 } = this.#setup.cell;
    return servers > 1 ? ["--scale", `${ECHO}=${servers}`] : [];
  }

  /** @param {string} service @returns {Role} */
  roleOf(service) {
    if (service === ECHO || service === REFERENCE) return service;
    return this.#setup.context.observers.includes(service) ? "observer" : "proxy";
  }

  /** @param {Role} role @returns {PlacedContainer[]} of those that were started */
  ofRole(role) {
    return this.started.filter(({ service }) => this.roleOf(service) === role);
  }

  /** @returns {ContainerState[]} []: one server stands behind the proxy */
  get severalServers() {
    const servers = this.ofRole(ECHO);
    return servers.length > 1 ? servers : [];
  }

  /** @returns {PlacedContainer[]} proxy and server */
  get #ofCellAlone() {
    return this.started.filter(({ service }) => this.roleOf(service) !== "observer");
  }

  /** @param {string} container @returns {string} its name without the project's */
  shortName(container) {
    return container.slice(this.#setup.context.project.length + 1);
  }

  /**
   * To be called at the last edge: what comes after it, a pass that counts statuses among it, may push older lines out of the logs, of
   * which the engine keeps the last 10 MB (compose.yaml).
   *
   * @param {number} fromMs first edge
   * @returns {Promise<Log[]>} what proxy and server have written since; []: the load sends no requests
   */
  async logsSince(fromMs) {
    const { context, workload } = this.#setup;
    if (workload.protocol !== "http") return [];
    return Promise.all(
      this.#ofCellAlone.map(async (container) => ({
        service: container.service,
        text: (await context.placement.logOf(container, fromMs)) ?? "",
      })),
    );
  }

  /**
   * Keeps the logs, then removes everything that belongs to this cell.
   *
   * @param {string} folder
   */
  async stop(folder) {
    const { context, loads } = this.#setup;
    const containers = await this.#left();
    mkdirSync(folder, { recursive: true });
    await Promise.all(
      containers.map(async (container) => {
        const log = await context.placement.logOf(container);
        if (log === null) return;
        // Of several containers of a service, the first has its name alone.
        const file = this.shortName(container.name).replace(/-1$/, "");
        writeFileSync(join(folder, `${file}.log`), keptLog(log));
      }),
    );
    await context.placement.remove([...containers.map(({ name }) => name), ...loads.names]);
    for (const [program, log] of await loads.logs())
      writeFileSync(join(folder, `${program}.log`), keptLog(log));
  }

  /** @returns {Promise<ContainerState[]>} proxy and server, and what an event or a start that failed has left beside them */
  async #left() {
    const { context, loads } = this.#setup;
    const all = await context.placement.containersOf(context.project).catch(() => []);
    const others = all.filter(
      ({ name, service }) => this.roleOf(service) !== "observer" && !loads.names.includes(name),
    );
    const found = [...this.#ofCellAlone, ...others];
    return [...new Map(found.map((each) => [each.name, each])).values()];
  }
}
