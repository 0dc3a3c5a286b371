/**
 * By Box and Muller's method.
 *
 * @param random the next number, from 0 to below 1
 * @returns the next number of the standard normal distribution
 */
export function normalNumbers(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
