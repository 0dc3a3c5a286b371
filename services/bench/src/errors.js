/**
 * A fault that the user can mend. Shown without a stack trace; every other error is a fault of this program.
 */
export class UserError extends Error {
  /**
   * @param {string} fact what is wrong
   * @param {string} [next] what was expected, and the next step
   * @param {number} [exitCode] 1, or 2 for a wrong command line
   */
  constructor(fact, next = "", exitCode = 1) {
    super(fact);
    this.next = next;
    this.exitCode = exitCode;
  }
}

/**
 * The name that was probably meant.
 *
 * @param {string} name
 * @param {string[]} known
 * @returns {string | undefined} the nearest of them, if one is near
 */
export function nearest(name, known) {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(2, name.length / 2) ? best.candidate : undefined;
}

/**
 * Levenshtein distance.
 *
 * @param {string} a
 * @param {string} b
 */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
