/**
 * What load writes on machines that are not this one, and how it comes here.
 */
import { allEnded } from "../platform/wait.ts";
import { samplesIn } from "./shipped-files.ts";
import type { Site } from "../run/placement.ts";
import type { SpreadPlacement } from "./placement.ts";

/** A command in the containers of the load: removes what was written. */
const EMPTY = ["sh", "-c", "rm -rf /samples/*"];
/**
 * What samples of another machine may take to come here: some GB are many minutes' on a slow line.
 */
const COPY_LIMIT_MS = 900_000;

export class FurtherSamples {
  #placement: Pick<SpreadPlacement, "siteOfLoad" | "equipmentOf">;
  #names: string[];
  #scratch: string;

  /**
   * @param names of the containers, in the order of their numbers
   * @param scratch folder on this machine
   */
  constructor(
    placement: Pick<SpreadPlacement, "siteOfLoad" | "equipmentOf">,
    names: string[],
    scratch: string,
  ) {
    this.#placement = placement;
    this.#names = names;
    this.#scratch = scratch;
  }

  folderOn(site: Site) {
    return site.isHere ? this.#scratch : samplesIn(this.#placement.equipmentOf(site).files);
  }

  async empty() {
    await allEnded(
      this.#elsewhere().map(({ engine, name }) => engine.check(["docker", "exec", name, ...EMPTY])),
    );
  }

  async fetch() {
    await allEnded(
      this.#elsewhere().map(({ engine, name }) =>
        engine.check(["docker", "cp", `${name}:/samples/.`, this.#scratch], {
          limit: AbortSignal.timeout(COPY_LIMIT_MS),
        }),
      ),
    );
  }

  /** A container on each machine that is not this one: all of a machine write into one folder. */
  #elsewhere() {
    const first = new Map(
      this.#names.map((name, i) => [this.#placement.siteOfLoad(i + 1), name] as const).reverse(),
    );
    return [...first].flatMap(([{ engine, isHere }, name]) => (isHere ? [] : { engine, name }));
  }
}
