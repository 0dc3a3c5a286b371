/**
 * Mulberry32, a generator of 32 bits of state by Tommy Ettinger (public domain). Good enough for
 * resampling; the point is that the same seed gives the same numbers everywhere, which Math.random
 * does not.
 *
 * @returns the next number, from 0 to below 1
 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
