import assert from "node:assert/strict";
import { test } from "node:test";
import { projectNameFor } from "./started-proxy.ts";

test("two checks of one proxy have projects of their own", () => {
  const names = [1, 2].map(() => projectNameFor({ name: "nginx-1.30" }));
  for (const name of names) assert.match(name, /-verify-[0-9a-f]{8}-nginx-1-30$/);
  assert.notEqual(names[0], names[1]);
});
