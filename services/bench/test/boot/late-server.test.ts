import assert from "node:assert/strict";
import { test } from "node:test";
import { healthUrl } from "../../src/plan/proxies.ts";
import { statusOf } from "../../src/platform/wait.ts";
import { lab } from "../lab.ts";
import { bringUp } from "../requests.ts";

/** So that each thread of the proxy gets some. */
const ASKED = 20;
/** By then a thread that has failed several times leaves the server out for seconds, by default. */
const LATE_SECONDS = 10;

test("nghttpx: all its threads serve as soon as their server does", async (t) => {
  const command = ["sh", "-c", `sleep ${LATE_SECONDS}; exec /app/start`];
  const project = lab(t, { profile: "nghttpx", services: { echo: { command } } });
  await bringUp(t, project, "nghttpx", ["ws"]);
  for (let i = 0; i < ASKED; i++) assert.equal(await statusOf(healthUrl("ws")), "200");
});
