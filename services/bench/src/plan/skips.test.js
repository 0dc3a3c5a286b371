import assert from "node:assert/strict";
import { test } from "node:test";
import { skipKindOf, skipped } from "./skips.js";

test("a record without kinds is read as one that has them", () => {
  for (const kind of /** @type {const} */ (["left-out", "has-none", "unable"])) {
    const { skip, skipKind } = skipped(kind, "it cannot reload");
    assert.equal(skipKind, kind);
    assert.equal(skipKindOf({ skip, skipKind }), kind);
    assert.equal(skipKindOf({ skip }), kind, skip);
  }
  assert.equal(skipKindOf({ skip: null }), null);
});
