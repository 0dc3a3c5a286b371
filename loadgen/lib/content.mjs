/** What every server has under /files/N, and so what a client must get (services/node-web/README.md). */
const TEXT = "Hello world\n";

/**
 * @param {number} bytes
 * @returns {Buffer} that text again and again, cut to this many bytes
 */
export function fileContent(bytes) {
  return Buffer.alloc(bytes, TEXT);
}
