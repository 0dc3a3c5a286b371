/**
 * Compose projects of cells that run at once. Each has a network of its own, in which `proxy` and
 * `echo` are its own; what observes stays in that of the run, and sees all of them.
 */
import { ensureCertificates } from "../platform/certificates.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { EDGE_HOST, Edges } from "./edges.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { RunContext } from "./run-context.ts";

/** Between the name of the run's project and that of the proxy. */
const INFIX = "-beside-";

/**
 * @param project name of the run's
 * @param proxy as the plan calls it
 * @returns name of the Compose project of its cells; no such name is the beginning of another, as
 *   haproxy is of haproxy-hitch: by it containers are found
 */
export function projectBeside(project: string, proxy: string): string {
  // A version has points, which such a name cannot have.
  return `${project}${INFIX}${proxy.replaceAll(".", "-")}_`;
}

/**
 * @param project name of the run's
 * @returns names of those beside it that still have a network; of an engine that does not answer,
 *   none
 */
export async function projectsBeside(project: string): Promise<string[]> {
  const label = "com.docker.compose.project";
  const { stdout } = await OWN_ENGINE.run([
    ...["docker", "network", "ls", "--filter", `label=${label}`],
    ...["--format", `{{.Label "${label}"}}`],
  ]);
  return [...new Set(stdout.split("\n"))].filter((name) => name.startsWith(`${project}${INFIX}`));
}

/**
 * @param directory the project's
 * @param project name of the run's
 * @returns whether nothing of those beside it is left
 */
export async function removeBeside(directory: string, project: string): Promise<boolean> {
  for (const name of await projectsBeside(project)) {
    await OWN_ENGINE.leaveNetwork(networkOf(name));
    const containers = await OWN_ENGINE.containersOf(name).catch(() => []);
    await OWN_ENGINE.remove(containers.map((container) => container.name));
    // What is left tells whether that went well.
    await new Project(directory, { name }).down().catch(() => {});
  }
  return (await projectsBeside(project)).length === 0;
}

/** @returns its network, as Compose names it */
function networkOf(project: string): string {
  return `${project}_default`;
}

/** The projects beside that of a run. */
export class SideBySide {
  #directory: string;
  #project: string;
  /** by proxy */
  #places: Map<string, Pick<RunContext, "project" | "network" | "edges" | "authorities">> =
    new Map();

  /**
   * @param directory the project's
   * @param project name of the run's
   */
  constructor(directory: string, project: string) {
    this.#directory = directory;
    this.#project = project;
  }

  /**
   * Makes the project of each proxy, with its certificates, and brings this program into its
   * network.
   */
  async begin(
    cells: readonly PlannedCell[],
    { keyType, signal }: Pick<RunContext, "keyType" | "signal">,
  ) {
    const proxies = new Set(cells.filter(({ skip }) => skip === null).map(({ proxy }) => proxy));
    for (const proxy of proxies) {
      const name = projectBeside(this.#project, proxy);
      const project = new Project(this.#directory, { name, env: { TLS_KEY_TYPE: keyType } });
      const authority = await ensureCertificates(project, { signal });
      // With its first container Compose makes the network.
      await project.check(["up", "--no-start", "--no-deps", "echo"], { signal });
      const edges = new Edges(0);
      await edges.listen();
      const network = networkOf(name);
      this.#places.set(proxy, {
        ...{ project: name, network, edges },
        authorities: { [keyType]: authority },
      });
      await OWN_ENGINE.joinNetwork(network, EDGE_HOST);
    }
  }

  /**
   * @param context of the run
   * @returns of that cell
   */
  contextOf(context: RunContext, cell: PlannedCell): RunContext {
    const place = this.#places.get(cell.proxy);
    if (!place) throw new Error(`${cell.proxy} has no project of its own`);
    return {
      ...context,
      ...place,
      isBeside: true,
      observers: [],
      // Of phases and live figures of several cells at once nobody could tell whose they are.
      tell: (event) => {
        if (event.type === "note") context.tell(event);
      },
    };
  }

  /** No load waits at an edge any more. */
  close() {
    for (const { edges } of this.#places.values()) edges.close();
  }
}
