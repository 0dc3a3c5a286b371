/** What is served: the same bytes as every other server of the benchmark has, so that a client can check them. */

export const HELLO = "Hello world\n";

/** Sizes in bytes of Cloud Party's files of 2013: the smallest page, its largest script, and what lies between. */
export const SIZES = [12, 2216, 4879, 30192, 786432];

/**
 * @param {number} bytes
 * @returns {Buffer} this many of the text, repeated
 */
export function contentOf(bytes) {
  return Buffer.alloc(bytes, HELLO);
}
