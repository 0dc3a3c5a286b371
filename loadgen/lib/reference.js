/**
 * The reference stream: of all connections, a share goes to the reference proxy (services/reference), in the same loop and to the same
 * server, beyond those that were asked for. The runner sets REFERENCE_SHARE where it has started that proxy.
 */
import { decimal } from "./parameters.js";

const share = decimal("REFERENCE_SHARE", 0, { min: 0, max: 0.5 });

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
