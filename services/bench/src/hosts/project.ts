/**
 * The Compose project of a cell: the same model on each machine.
 */
import { Project } from "../platform/compose.ts";
import { toHostNetwork } from "../run/host-network.ts";
import { relocated } from "./shipped-files.ts";
import type { HostNetwork } from "../run/host-network.ts";
import type { ProjectOptions, Site } from "../run/placement.ts";
import type { SpreadPlacement } from "./placement.ts";

/** What Compose may take to start containers on a machine that is not this one. */
const COMPOSE_LIMIT_MS = 120_000;

export class SpreadProject {
  #placement: SpreadPlacement;
  #about: {
    directory: string;
    options: ProjectOptions;
    hostNetwork: HostNetwork | null;
    network: string;
  };
  #projects: Map<Site, Project>;
  /** With what observes. */
  here: Project;

  constructor(
    placement: SpreadPlacement,
    about: {
      directory: string;
      options: ProjectOptions;
      hostNetwork: HostNetwork | null;
      network: string;
    },
  ) {
    const { directory, options } = about;
    this.#placement = placement;
    this.#about = about;
    this.here = new Project(directory, options);
    this.#projects = new Map(
      placement.sites.map((site) => [
        site,
        new Project(directory, {
          ...{ ...options, engine: site.engine },
          ...(!site.isHere && { limitMs: COMPOSE_LIMIT_MS }),
        }),
      ]),
    );
  }

  on(site: Site) {
    return this.#projects.get(site) as Project;
  }

  /** @throws {UserError} when Compose cannot read it */
  async readOnce() {
    const { directory, network } = this.#about;
    await this.here.readOnce();
    for (const [site, project] of this.#projects) {
      const files = site.isHere ? null : this.#placement.equipmentOf(site).files;
      const path = this.#pathOn(site);
      await project.readOnce({
        key: `${network} ${files} ${path?.key}`,
        change: (config) =>
          relocated(path ? path.change(config) : config, { directory, network, files }),
      });
    }
  }

  #pathOn(site: Site) {
    const { hostNetwork } = this.#about;
    if (!hostNetwork) return null;
    const { proxies, own } = hostNetwork;
    const addresses = this.#placement.addressesOn(site);
    return toHostNetwork({ proxies, addresses, bench: this.#placement.doorOf(site, own).bench });
  }

  /**
   * Servers first, as names take their time from one machine to the other, and a proxy looks up its
   * server once.
   *
   * @throws {UserError}
   */
  async up(services: string[], { observers }: { observers: string[] }) {
    const observing = services.filter((service) => observers.includes(service));
    const measured = services.filter((service) => !observers.includes(service));
    const server = this.#placement.siteOf("servers");
    const isWithServers = (service: string) => this.#placement.siteOfService(service) === server;
    await start(this.here, observing);
    const others = measured.filter((service) => !isWithServers(service));
    for (const group of [measured.filter(isWithServers), others]) {
      if (group.length > 0) await start(this.on(this.#placement.siteOfService(group[0])), group);
      await this.#awaitNames(measured);
    }
  }

  /** @param services of which some are started */
  async #awaitNames(services: string[]) {
    const found = await this.#placement.containersOf(this.#about.options.name);
    const named = found.filter(
      ({ service, running, address }) => services.includes(service) && running && address !== "",
    );
    await this.#placement.awaitNames(
      Object.fromEntries(named.map(({ service, address }) => [nameOf(service), address])),
    );
  }
}

async function start(project: Project, services: string[]) {
  if (services.length > 0) await project.check(["up", "--detach", "--no-deps", ...services]);
}

/**
 * @param service that is measured
 * @returns by which it is found
 */
function nameOf(service: string): string {
  return service === "echo" || service === "reference" ? service : "proxy";
}
