/**
 * Addresses of one name, for very many connections: a lookup of the C library holds one of Node's four threads for files and names, and
 * where a name server does not answer for seconds, those of all connections would stand behind each other.
 */
import { lookup } from "node:dns";

/** @import { LookupAddress } from "node:dns" */
/** @import { LookupFunction } from "node:net" */

/** What is older is looked up again, so a container that has taken another's place is found. */
const FRESH_MS = 100;

export class Resolver {
  #host;
  #look;
  #asked = -Infinity;
  /** @type {Promise<LookupAddress[]> | null} */
  #answer = null;
  #isUnderWay = false;
  #turn = 0;

  /**
   * @param {string} host
   * @param {typeof lookup} [look]
   */
  constructor(host, look = lookup) {
    this.#host = host;
    this.#look = look;
  }

  /**
   * What net.connect() takes as `lookup`: one address, each of several in turn, or all of them, from that one on; of IPv4 where there is
   * any.
   *
   * @type {LookupFunction}
   */
  lookup = (_host, options, callback) => {
    this.#addresses().then(
      (all) => {
        const v4 = all.filter(({ family }) => family === 4);
        const usable = v4.length > 0 ? v4 : all;
        const first = this.#turn++ % usable.length;
        const { address, family } = usable[first];
        if (options.all) callback(null, [...usable.slice(first), ...usable.slice(0, first)]);
        else callback(null, address, family);
      },
      (error) => callback(error, "", 0),
    );
  };

  /** @returns {Promise<LookupAddress[]>} at least one */
  #addresses() {
    if (this.#answer && (this.#isUnderWay || performance.now() - this.#asked < FRESH_MS))
      return this.#answer;
    this.#asked = performance.now();
    this.#isUnderWay = true;
    this.#answer = new Promise((resolve, reject) => {
      this.#look(this.#host, { all: true }, (error, addresses) => {
        this.#isUnderWay = false;
        if (error) reject(error);
        else resolve(addresses);
      });
    });
    return this.#answer;
  }
}
