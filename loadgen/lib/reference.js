/**
 * The reference stream: of all connections, a share goes to the reference proxy (services/reference), in the same loop and to the same
 * server, beyond those that were asked for. The runner sets REFERENCE_SHARE where it has started that proxy.
 *
 * Beside the proxy's connections, a connection of the reference costs what that proxy leaves of the caches: 3 to 13 % more beside heavy ones.
 * A closed loop can give it turns of its own; an open loop, and connections that are held, cannot.
 */
import { decimal } from "./parameters.js";

const MOST = 0.5;
const share = decimal("REFERENCE_SHARE", 0, { min: 0, max: MOST });

/** In a shorter turn, its begin and end would be most of it. */
const LEAST_IN_A_TURN = 20;

/** A third of 3 is no less than 1. */
const ROUNDING = 1e-9;

/** @param {number} connections in all */
function ofReference(connections) {
  return Math.floor(connections * share + ROUNDING);
}

/**
 * @param {number} number of a connection, from 0, in the order in which they are opened
 * @returns {boolean} it goes to the reference proxy
 */
export function isReference(number) {
  return ofReference(number + 1) > ofReference(number);
}

/**
 * @param {number} connections for the proxy
 * @returns {number} with those for the reference proxy
 */
export function withReference(connections) {
  let all = Math.floor(connections / (1 - share));
  while (all - ofReference(all) < connections) all += 1;
  return all;
}

/**
 * Turns of proxy and reference in a closed loop, by the number of a connection: the reference has the first. Two that are compared change
 * places from round to round, as whoever begins is at a disadvantage: of 15 turns with 50 messages on each connection, 1 %.
 */
export class Turns {
  #ofReference;
  #ofProxy;

  /** Two that are compared must meet the same: what one leaves behind, and a pause. */
  areEqual = share === MOST;
  /** Whether the reference has the last turn, and the proxy the first. */
  endsWithReference;

  /**
   * @param {object} options
   * @param {number} options.connections for the proxy
   * @param {number} options.atATime connections: a turn of the reference has as many, and all of them at once
   * @param {number} options.round
   */
  constructor({ connections, atATime, round }) {
    this.#ofReference = share > 0 ? Math.max(LEAST_IN_A_TURN, atATime) : 0;
    this.#ofProxy = share > 0 ? Math.round((this.#ofReference * (1 - share)) / share) : Infinity;
    // The last turn of the reference is always a whole one.
    this.endsWithReference = this.areEqual && round % 2 === 0 && connections % this.#ofProxy === 0;
    /** Connections, with those for the reference proxy. */
    this.all = connections + this.#ofReference * Math.ceil(connections / this.#ofProxy);
  }

  /**
   * @param {number} number of a connection, from 0, in the order in which they are opened
   * @returns {boolean} it goes to the reference proxy
   */
  isReference(number) {
    return this.#within(number) < this.#ofReference !== this.endsWithReference;
  }

  /**
   * @param {number} number
   * @returns {number} of the first connection of the same turn: it may begin when this many have ended
   */
  firstOf(number) {
    const within = this.#within(number);
    return number - within + (within < this.#ofReference ? 0 : this.#ofReference);
  }

  /** @param {number} number */
  #within(number) {
    return this.#ofProxy === Infinity ? number : number % (this.#ofReference + this.#ofProxy);
  }
}
