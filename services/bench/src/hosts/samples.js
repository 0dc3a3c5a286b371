/**
 * What load writes on machines that are not this one, and how it comes here.
 */
import { allEnded } from "../platform/wait.js";
import { samplesIn } from "./shipped-files.js";

/** @import { Site } from "../run/placement.js" */
/** @import { SpreadPlacement } from "./placement.js" */

/** A command in the containers of the load: removes what was written. */
const EMPTY = ["sh", "-c", "rm -rf /samples/*"];
/** What samples of another machine may take to come here: some GB are many minutes' on a slow line. */
const COPY_LIMIT_MS = 900_000;

export class FurtherSamples {
  #placement;
  #names;
  #scratch;

  /**
   * @param {Pick<SpreadPlacement, "siteOfLoad" | "equipmentOf">} placement
   * @param {string[]} names of the containers, in the order of their numbers
   * @param {string} scratch folder on this machine
   */
  constructor(placement, names, scratch) {
    this.#placement = placement;
    this.#names = names;
    this.#scratch = scratch;
  }

  /** @param {Site} site */
  folderOn(site) {
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
      this.#names
        .map((name, i) => /** @type {const} */ ([this.#placement.siteOfLoad(i + 1), name]))
        .reverse(),
    );
    return [...first].flatMap(([{ engine, isHere }, name]) => (isHere ? [] : { engine, name }));
  }
}
