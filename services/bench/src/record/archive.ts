/**
 * The raw samples and logs of a published run in one file: a tar of its `cells/`, compressed by
 * zstd. What was compressed on its own lies in it plain, as together it takes a third of the room;
 * latencies and counters are packed as `packed-latencies.ts` and `packed-csv.ts` tell. A cell's own
 * record is left out: results.json beside the archive has it.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { constants, gunzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as tar from "tar";
import { UserError } from "../errors.ts";
import { CURVES_FILE } from "./curve-names.ts";
import { packedCsv, unpackedCsv } from "./packed-csv.ts";
import { packedLatencies } from "./packed-latencies.ts";
import type { Archive } from "../model/record.ts";

/** Name of the archive in the folder of a published run. */
export const ARCHIVE_FILE = "raw.tar.zst";
/** The folder of a run that it holds. */
export const CELLS = "cells";
/** The record of an attempt in its folder, for the time in which the run's own is not whole. */
export const CELL_FILE = "cell.json";

/** How files are packed, by name; others are as they were. */
const PACKED: Record<string, (csv: string) => string> = {
  "latencies.csv": packedLatencies,
  "samples.csv": packedCsv,
  [CURVES_FILE]: packedCsv,
};

/**
 * The slowest level that zstd does not call `ultra`, and the longest window that every reader
 * accepts.
 */
const COMPRESSION = {
  [constants.ZSTD_c_compressionLevel]: 19,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_windowLog]: 27,
};

/**
 * The same files give the same bytes: names are sorted, times and owners left out.
 *
 * @param directory of a run with its folder `cells`
 * @param target folder that gets the archive
 */
export function packCells(directory: string, target: string): Archive {
  const work = mkdtempSync(join(tmpdir(), "archive-"));
  try {
    const files = readdirSync(join(directory, CELLS), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== CELL_FILE)
      .map((entry) => packed(directory, work, join(entry.parentPath, entry.name)))
      .sort();
    const file = join(work, "raw.tar");
    tar.create({ sync: true, cwd: work, file, portable: true, mtime: new Date(0) }, files);
    const bytes = zstdCompressSync(readFileSync(file), { params: COMPRESSION });
    writeFileSync(join(target, ARCHIVE_FILE), bytes);
    return { file: ARCHIVE_FILE, sha256: sha256(bytes), bytes: bytes.length, files: files.length };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/**
 * @param directory of the run
 * @param work folder that gets the file as the archive has it
 * @returns its name in the archive
 */
function packed(directory: string, work: string, file: string): string {
  const isCompressed = file.endsWith(".gz");
  const name = relative(directory, isCompressed ? file.slice(0, -".gz".length) : file);
  const bytes = isCompressed ? gunzipSync(readFileSync(file)) : readFileSync(file);
  mkdirSync(join(work, dirname(name)), { recursive: true });
  const pack = PACKED[basename(name)];
  writeFileSync(join(work, name), pack ? pack(bytes.toString()) : bytes);
  return name;
}

/**
 * @param directory of a published run
 * @param archive as its record tells
 * @returns contents by path: `cells/r1-nginx-short-lived-ws/samples.csv`
 * @throws {UserError} when the file is missing, or is not the one that was published
 */
export function unpackCells(
  directory: string,
  { file, sha256: expected, commit = "HEAD" }: Archive,
): Map<string, Buffer> {
  const path = join(directory, file);
  const next = `Restore it from the repository: git checkout ${commit} -- ${path}`;
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${(error as Error).message}`, next);
  }
  const found = sha256(bytes);
  if (found !== expected)
    throw new UserError(
      `${path} is not the archive of this run: its SHA-256 is ${found}, results.json says ${expected}`,
      next,
    );
  const contents = new Map();
  const parser = new tar.Parser({ strict: true });
  parser.on("entry", (entry) => {
    const chunks: Buffer[] = [];
    entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    entry.on("end", () => contents.set(entry.path, Buffer.concat(chunks)));
  });
  // All of it in one piece: every entry has been read when this returns.
  parser.end(zstdDecompressSync(bytes));
  return contents;
}

/**
 * @param name of a file of the archive, without its folder
 * @returns as a run has it; of latencies the packed form, as the order within a second is not kept
 */
export function unpackedText(name: string, bytes: Buffer): string {
  return PACKED[name] === packedCsv ? unpackedCsv(bytes.toString()) : bytes.toString();
}

function sha256(bytes: Buffer) {
  return createHash("sha256").update(bytes).digest("hex");
}
