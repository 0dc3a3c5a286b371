/**
 * The record of a run, `results.json`: all that analysis and report need.
 * It is rewritten after every cell.
 */
import Type, { type Static } from "typebox";
import { CellRecord } from "./cell.ts";
import { Environment } from "./environment.ts";
import { Plan, Scheme } from "./plan.ts";
import * as shape from "./shapes.ts";

export const SameWork = shape.object(
  { proxy: shape.text(), scheme: Scheme },
  "another proxy that does the same work over that scheme: what differs there is noise",
);
export interface SameWork extends Static<typeof SameWork> {}

export const VariantOf = shape.object(
  { proxy: shape.text(), differs: shape.text() },
  "another proxy that it is but for what differs, in one line",
);
export interface VariantOf extends Static<typeof VariantOf> {}

const ProxyOfRun = shape.object({
  name: shape.text(),
  title: shape.text(),
  colour: shape.text(),
  shape: shape.optional(shape.text("of its mark in charts; absent: an older record")),
  parts: shape.list(shape.text(), "services of the proxy"),
  sameWorkAs: shape.optional(SameWork),
  variantOf: shape.optional(VariantOf),
  onReload: shape.optional(
    shape.text("what its documentation says becomes of open connections; absent: nothing is noted"),
  ),
  tuned: shape.optional(
    shape.only(false, "it has the configuration of its documentation; absent: it is tuned"),
  ),
  choosesTls13Cipher: shape.optional(
    shape.only(
      false,
      "it takes the cipher of TLS 1.3 that the client prefers; absent: it chooses that of the policy",
    ),
  ),
});

export const Archive = shape.object(
  {
    file: shape.text("beside this one: a tar, compressed by zstd"),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    bytes: shape.count(undefined, 1),
    files: shape.count("in the tar"),
    commit: shape.optional(
      shape.text(
        "of this repository whose tree has the file, in full, as no short one can be fetched; absent: the file is beside this one",
      ),
    ),
  },
  "of a published run: the file that holds raw samples and logs, instead of the folder cells/",
);
export interface Archive extends Static<typeof Archive> {}

/** Raised with every change that moves figures: runs of two methods are not pooled. */
export const METHOD = 2;

export const Results = shape.object({
  schema: shape.only(2),
  run: shape.object({
    name: shape.text("its folder"),
    startedAt: shape.text(),
    endedAt: shape.nullable(shape.text(), "null: not complete; --resume continues"),
    command: shape.text("repeats the run"),
    method: shape.optional(
      shape.count("how it was measured; only runs of the same are pooled; absent: an older record"),
    ),
    hosts: shape.optional(
      shape.text(
        "file of its machines, from the project's folder; --resume reads it again; absent: there is one alone",
      ),
    ),
    remark: shape.optional(shape.text("what its publisher knows and no counter tells; a sentence")),
  }),
  plan: Plan,
  environment: Environment,
  proxies: shape.list(ProxyOfRun, "as proxies/ had them"),
  cells: shape.list(CellRecord, "every attempt, in the order in which they ended"),
  archive: shape.optional(Archive),
});
export interface Results extends Static<typeof Results> {}
