/** SVG to PNG by resvg in WebAssembly: no browser, the same pixels on every machine. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { UserError } from "../errors.ts";

/** Debian's package fonts-dejavu-core, which the image of this program has. */
export const FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map(
  (name) => `/usr/share/fonts/truetype/dejavu/${name}`,
);
const FAMILY = "DejaVu Sans";
/** Pixels for each of CSS: sharp on a projector. */
const SHARP = 2;

let prepared: ReturnType<typeof prepare> | undefined;

/**
 * @param svg a file of chart.ts
 * @returns a PNG in the colours for light pages
 * @throws {UserError} when there is no font
 */
export async function pngOf(svg: string, scale: number = SHARP): Promise<Uint8Array> {
  prepared ??= prepare();
  const { Resvg, fontBuffers, fonts } = await prepared;
  const image = new Resvg(onLight(svg), {
    fitTo: { mode: "zoom", value: scale },
    font: { fontBuffers, defaultFontFamily: FAMILY },
  });
  return withText(image.render().asPng(), { svg: hashOf(svg), fonts });
}

const HEADER_BYTES = 33;

/** Of what it is drawn: who reads it can tell a picture that is stale. */
function withText(png: Uint8Array, texts: Record<string, string>): Uint8Array {
  const chunks = Object.entries(texts).map(([key, text]) => {
    const body = Buffer.from(`tEXt${key}\0${text}`, "latin1");
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length - 4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  });
  return Buffer.concat([png.subarray(0, HEADER_BYTES), ...chunks, png.subarray(HEADER_BYTES)]);
}

export function hashOf(...parts: (string | Uint8Array)[]): string {
  return parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");
}

/** Loaded when it is needed: most commands draw no PNG. */
async function prepare() {
  const missing = FONTS.find((file) => !existsSync(file));
  if (missing) {
    throw new UserError(
      `${missing} is not there, and PNG cannot be drawn without a font`,
      "Install Debian's package fonts-dejavu-core, or export with --format svg,csv,json.",
    );
  }
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  const wasm = import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm");
  await initWasm(readFileSync(fileURLToPath(wasm)));
  const fontBuffers = FONTS.map((file) => new Uint8Array(readFileSync(file)));
  return { Resvg, fontBuffers, fonts: hashOf(...fontBuffers) };
}

/** resvg knows no variables: each becomes its fallback, the colour for light. */
function onLight(svg: string): string {
  return svg
    .replace(
      /<style>.*?<\/style>/s,
      `<style>svg { color: #1c2126; font-family: "${FAMILY}"; }</style>`,
    )
    .replace(/var\(--[\w-]+, (#\w+)\)/g, "$1");
}
