import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { folderOf, refuseRunName, runNameAt } from "./run-name.ts";

test("the time of a start is a name, without a colon", () => {
  const name = runNameAt(new Date("2026-11-21T00:00:09.123Z"));
  assert.equal(name, "2026-11-21T00-00-09Z");
  assert.equal(folderOf(name), name);
  refuseRunName(name);
});

for (const [name, proposed] of [
  ["2026-11-21T00:00:09Z", "2026-11-21T00-00-09Z"],
  ["mine/one", "mine-one"],
  ["C:\\runs\\one", "C-runs-one"],
  ["../one", "one"],
  [".hidden", "hidden"],
  ["nginx wss", "nginx-wss"],
  ["x".repeat(65), "x".repeat(64)],
]) {
  test(`RUN=${name} is refused, and ${proposed} proposed, which is not`, () => {
    assert.ok(folderOf(name).startsWith(proposed));
    refuseRunName(proposed);
    assert.throws(
      () => refuseRunName(name),
      (error) =>
        error instanceof UserError &&
        error.message.startsWith(`RUN=${name} cannot be the name of a run`) &&
        error.next.includes(`such as ${proposed};`),
    );
  });
}

test("a name of which nothing could be left: the time is proposed", () => {
  assert.throws(() => refuseRunName("//"), { next: /such as \d{4}-\d\d-\d\dT/ });
});
