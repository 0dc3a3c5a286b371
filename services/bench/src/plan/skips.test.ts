import assert from "node:assert/strict";
import { test } from "node:test";
import { skipKindOf, skipped } from "./skips.ts";

test("a record without kinds is read as one that has them", () => {
  for (const kind of ["left-out", "has-none", "unable"] as const) {
    const { skip, skipKind } = skipped(kind, "it cannot reload");
    assert.equal(skipKind, kind);
    assert.equal(skipKindOf({ skip, skipKind }), kind);
    assert.equal(skipKindOf({ skip }), kind, skip);
  }
  assert.equal(skipKindOf({ skip: null }), null);
});
