/**
 * Pixels of a PNG, as resvg writes it: 8 bits a channel with alpha, not interlaced.
 */
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";

const CHANNELS = 4;

/** @returns colours: that any pixel has, as `r,g,b,a` */
export function pixelsOf(png: Uint8Array): { width: number; height: number; colours: Set<string> } {
  const file = Buffer.from(png);
  assert.equal(file.toString("latin1", 1, 4), "PNG");
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  assert.deepEqual([...file.subarray(24, 29)], [8, 6, 0, 0, 0], "not 8-bit RGBA");
  const parts = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * CHANNELS, height);
  const distinct = new Set<number>();
  for (let at = 0; at < rows.length; at += CHANNELS) distinct.add(rows.readUInt32BE(at));
  const texts = [...distinct].map((colour) =>
    [24, 16, 8, 0].map((shift) => (colour >>> shift) & 255).join(","),
  );
  return { width, height, colours: new Set(texts) };
}

/** Each row has the number of its filter before it: https://www.w3.org/TR/png-3/#9Filter-types */
function unfiltered(data: Buffer, rowBytes: number, height: number): Buffer {
  const out = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const from = y * (rowBytes + 1);
    const filter = data[from];
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x;
      const left = x >= CHANNELS ? out[at - CHANNELS] : 0;
      const up = y > 0 ? out[at - rowBytes] : 0;
      const corner = x >= CHANNELS && y > 0 ? out[at - rowBytes - CHANNELS] : 0;
      out[at] = data[from + 1 + x] + guess(filter, left, up, corner);
    }
  }
  return out;
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  return filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
}

function paeth(left: number, up: number, corner: number): number {
  const a = Math.abs(up - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + up - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
