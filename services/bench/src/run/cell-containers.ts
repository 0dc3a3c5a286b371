/**
 * The containers of one cell: started fresh, known by their roles, and removed with their logs
 * kept.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "../plan/events.ts";
import { renewalsOf } from "../platform/certificates.ts";
import { allEnded } from "../platform/wait.ts";
import { assertOneBudget } from "./cell-budget.ts";
import { proxyOf } from "./cell-setup.ts";
import { keptLog } from "./log.ts";
import type { ContainerState } from "../platform/engine.ts";
import type { Role } from "../model/container.ts";
import type { Log } from "./causes.ts";
import type { CellSetup } from "./cell-setup.ts";
import type { PlacedContainer } from "./placement.ts";

/** Of the servers behind a proxy, the one that counts connections and messages. */
export const ECHO = "echo";
/** The service of the reference proxy, and its role. */
const REFERENCE = "reference";

export class CellContainers {
  #setup: CellSetup;
  /** As they were when all had started. */
  started: PlacedContainer[] = [];

  constructor(setup: CellSetup) {
    this.#setup = setup;
  }

  /** @throws {CellFailure} when one of them does not stay up */
  async start() {
    const { cell, context, certificates, generation, loads, project, watch } = this.#setup;
    const { observers, placement } = context;
    await project.readOnce();
    if (!cell.observed)
      await placement.remove(observers.map((service) => `${context.project}-${service}-1`));
    generation?.write(proxyOf(this.#setup).generation, 1);
    certificates?.fill(await renewalsOf(project.here));
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

  /** @returns services */
  #wanted(): string[] {
    const { cell, context, workload } = this.#setup;
    return [
      ECHO,
      ...context.services[cell.profile],
      ...(workload.referenceShare > 0 ? [REFERENCE] : []),
      // What observes is up. Should some of it have died in the cell before, it starts again here.
      ...(cell.observed ? context.observers : []),
    ];
  }

  /** @returns options of `up` */
  #scale(): string[] {
    const { event, servers = (event && EVENTS[event].servers) || 1 } = this.#setup.cell;
    return servers > 1 ? ["--scale", `${ECHO}=${servers}`] : [];
  }

  roleOf(service: string): Role {
    if (service === ECHO || service === REFERENCE) return service;
    return this.#setup.context.observers.includes(service) ? "observer" : "proxy";
  }

  /** @returns of those that were started */
  ofRole(role: Role): PlacedContainer[] {
    return this.started.filter(({ service }) => this.roleOf(service) === role);
  }

  /** @returns []: one server stands behind the proxy */
  get severalServers(): ContainerState[] {
    const servers = this.ofRole(ECHO);
    return servers.length > 1 ? servers : [];
  }

  /** @returns proxy and server */
  get #ofCellAlone(): PlacedContainer[] {
    return this.started.filter(({ service }) => this.roleOf(service) !== "observer");
  }

  /** @returns its name without the project's */
  shortName(container: string): string {
    return container.slice(this.#setup.context.project.length + 1);
  }

  /**
   * To be called at the last edge: what comes after it, a pass that counts statuses among it, may
   * push older lines out of the logs, of which the engine keeps the last 10 MB (compose.yaml).
   *
   * @param fromMs first edge
   * @returns what proxy and server have written since; []: the load sends no requests
   */
  async logsSince(fromMs: number): Promise<Log[]> {
    const { context, workload } = this.#setup;
    if (workload.protocol !== "http") return [];
    return Promise.all(
      this.#ofCellAlone.map(async (container) => ({
        service: container.service,
        text: (await context.placement.logOf(container, fromMs)) ?? "",
      })),
    );
  }

  /** Keeps the logs, then removes everything that belongs to this cell. */
  async stop(folder: string) {
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

  /** @returns proxy and server, and what an event or a start that failed has left beside them */
  async #left(): Promise<ContainerState[]> {
    const { context, loads } = this.#setup;
    const all = await context.placement.containersOf(context.project).catch(() => []);
    const others = all.filter(
      ({ name, service }) => this.roleOf(service) !== "observer" && !loads.names.includes(name),
    );
    const found = [...this.#ofCellAlone, ...others];
    return [...new Map(found.map((each) => [each.name, each])).values()];
  }
}
