/** @import { FailureKind } from "../model/cell.ts" */

/** A cell that cannot be counted. */
export class CellFailure extends Error {
  /**
   * @param {FailureKind} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}
