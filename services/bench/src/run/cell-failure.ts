import type { FailureKind } from "../model/cell.ts";

/** A cell that cannot be counted. */
export class CellFailure extends Error {
  kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
