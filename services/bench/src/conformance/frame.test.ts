import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrame, HEADER_BYTES, OPCODE } from "./frame.ts";

for (const length of [0, 1, 125]) {
  test(`a frame of ${length} bytes is final, masked and holds the payload`, () => {
    const payload = Buffer.alloc(length, "payload");
    const frame = encodeFrame(OPCODE.text, payload);
    assert.equal(frame[0], 0b1000_0001);
    assert.equal(frame[1], 0b1000_0000 + length);
    const mask = frame.subarray(2, HEADER_BYTES);
    const unmasked = frame.subarray(HEADER_BYTES).map((byte, index) => byte ^ mask[index % 4]);
    assert.deepEqual(Buffer.from(unmasked), payload);
  });
}

test("every frame has a masking key of its own", () => {
  const payload = Buffer.from("x");
  assert.notDeepEqual(encodeFrame(OPCODE.pong, payload), encodeFrame(OPCODE.pong, payload));
});

test("a payload that needs a longer header is refused", () => {
  assert.throws(() => encodeFrame(OPCODE.text, Buffer.alloc(126)), RangeError);
});
