import { randomBytes } from "node:crypto";

/** Opcodes of RFC 6455, section 5.2. */
export const OPCODE = { text: 0x1, pong: 0xa };

/**
 * Length in bytes of the header of a frame that `encodeFrame` makes: two bytes and the masking key.
 */
export const HEADER_BYTES = 6;

const FINAL = 0x80;
const MASKED = 0x80;
const MAX_PAYLOAD_BYTES = 125;

/**
 * One short frame as a client sends it: final and masked. `ws` decides itself how a frame is cut
 * into writes; a check that must decide this needs the bytes.
 *
 * @param payload at most 125 bytes
 * @throws {RangeError} when the payload is longer
 */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  if (payload.length > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`payload of ${payload.length} bytes, expected at most 125`);
  }
  const mask = randomBytes(4);
  const header = Buffer.from([FINAL | opcode, MASKED | payload.length, ...mask]);
  return Buffer.concat([header, payload.map((byte, index) => byte ^ mask[index % 4])]);
}
