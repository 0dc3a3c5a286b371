/** SVG to PNG by resvg in WebAssembly: no browser, the same pixels on every machine. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UserError } from "../errors.ts";

/** Debian's package fonts-dejavu-core, which the image of this program has. */
const FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map(
  (name) => `/usr/share/fonts/truetype/dejavu/${name}`,
);
const FAMILY = "DejaVu Sans";
/** Pixels for each of CSS: sharp on a projector. */
const SCALE = 2;

let prepared: ReturnType<typeof prepare> | undefined;

/**
 * @param svg a file of chart.ts
 * @returns a PNG in the colours for light pages
 * @throws {UserError} when there is no font
 */
export async function pngOf(svg: string): Promise<Uint8Array> {
  prepared ??= prepare();
  const { Resvg, fontBuffers } = await prepared;
  const image = new Resvg(onLight(svg), {
    fitTo: { mode: "zoom", value: SCALE },
    font: { fontBuffers, defaultFontFamily: FAMILY },
  });
  return image.render().asPng();
}

/** Loaded when it is needed: most commands draw no PNG. */
async function prepare() {
  const missing = FONTS.find((file) => !existsSync(file));
  if (missing) {
    throw new UserError(
      `${missing} is not there, and PNG cannot be drawn without a font`,
      "Install Debian's package fonts-dejavu-core, or ask for --format svg,csv,json.",
    );
  }
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  const wasm = import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm");
  await initWasm(readFileSync(fileURLToPath(wasm)));
  return { Resvg, fontBuffers: FONTS.map((file) => new Uint8Array(readFileSync(file))) };
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
