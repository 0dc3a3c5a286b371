/**
 * The Compose project of a cell: the same model on each machine.
 */
import { Project } from "../platform/docker.js";
import { toHostNetwork } from "../run/host-network.js";
import { relocated } from "./shipped-files.js";

/** @import { HostNetwork } from "../run/host-network.js" */
/** @import { ProjectOptions, Site } from "../run/placement.js" */
/** @import { SpreadPlacement } from "./placement.js" */

/** What Compose may take to start containers on a machine that is not this one. */
const COMPOSE_LIMIT_MS = 120_000;

export class SpreadProject {
  #placement;
  #about;
  /** @type {Map<Site, Project>} */
  #projects;

  /**
   * @param {SpreadPlacement} placement
   * @param {{directory: string, options: ProjectOptions, hostNetwork: HostNetwork | null, network: string}} about
   */
  constructor(placement, about) {
    const { directory, options } = about;
    this.#placement = placement;
    this.#about = about;
    /** With what observes. */
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

  /** @param {Site} site */
  on(site) {
    return /** @type {Project} */ (this.#projects.get(site));
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

  /** @param {Site} site */
  #pathOn(site) {
    const { hostNetwork } = this.#about;
    if (!hostNetwork) return null;
    const { proxies, own } = hostNetwork;
    const addresses = this.#placement.addressesOn(site);
    return toHostNetwork({ proxies, addresses, bench: this.#placement.doorOf(site, own).bench });
  }

  /**
   * Servers first, as names take their time from one machine to the other, and a proxy looks up its server once.
   *
   * @param {string[]} services
   * @param {{observers: string[]}} options
   * @throws {UserError}
   */
  async up(services, { observers }) {
    const observing = services.filter((service) => observers.includes(service));
    const measured = services.filter((service) => !observers.includes(service));
    const server = this.#placement.siteOf("servers");
    const isWithServers = (/** @type {string} */ service) =>
      this.#placement.siteOfService(service) === server;
    await start(this.here, observing);
    const others = measured.filter((service) => !isWithServers(service));
    for (const group of [measured.filter(isWithServers), others]) {
      if (group.length > 0) await start(this.on(this.#placement.siteOfService(group[0])), group);
      await this.#awaitNames(measured);
    }
  }

  /** @param {string[]} services of which some are started */
  async #awaitNames(services) {
    const found = await this.#placement.containersOf(this.#about.options.name);
    const named = found.filter(
      ({ service, running, address }) => services.includes(service) && running && address !== "",
    );
    await this.#placement.awaitNames(
      Object.fromEntries(named.map(({ service, address }) => [nameOf(service), address])),
    );
  }
}

/**
 * @param {Project} project
 * @param {string[]} services
 */
async function start(project, services) {
  if (services.length > 0) await project.check(["up", "--detach", "--no-deps", ...services]);
}

/** @param {string} service that is measured @returns {string} by which it is found */
function nameOf(service) {
  return service === "echo" || service === "reference" ? service : "proxy";
}
