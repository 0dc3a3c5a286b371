import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { stallResults } from "./testing/experiments.js";

/** @import { Stall } from "./testing/experiments.js" */

/** @type {Stall} */
const BOUNDED = { sent: 2e6, heldBack: true, grown: 90_000, p99Ms: [2, 2.4] };
const UNBOUNDED = { ...BOUNDED, sent: 64 * 2 ** 20, heldBack: false, grown: 66e6 };

/** @param {Record<string, Stall>} proxies */
function analysed(proxies) {
  const [setting] = analyse(stallResults(proxies), { policy: null }).stalls;
  const figures = Object.fromEntries(
    setting.answers.map((answer) => [answer.proxy, answer.figures]),
  );
  return { setting, figures };
}

test("what a stalled connection costs is what the proxy grew by, by parts", () => {
  const { setting, figures } = analysed({ none: BOUNDED, nginx: BOUNDED });
  const { bytes, bound, p99Ms } = figures.nginx ?? {};
  assert.deepEqual(
    [bytes?.all, bytes?.user, bytes?.kernel].map((one) => Math.round(one?.median ?? 0)),
    [90_000, 60_000, 30_000],
  );
  assert.equal(bytes?.sockets, null, "this kernel does not count them");
  assert.deepEqual([bound, p99Ms?.quiet?.median, p99Ms?.stalled?.median], ["held-back", 2, 2.4]);
  assert.equal(setting.controlTookAll, false);
});

test("buffering without bound is named; what is not in the proxy is not its", () => {
  const { figures, setting } = analysed({
    none: { ...UNBOUNDED, grown: 0 },
    nginx: UNBOUNDED,
    haproxy: { ...UNBOUNDED, grown: 80_000 },
  });
  assert.deepEqual(
    [figures.nginx?.bound, figures.haproxy?.bound, setting.controlTookAll],
    ["unbounded", "elsewhere", true],
  );
});

test("what was lost, or came in another order, is kept", () => {
  const { figures } = analysed({ nginx: { ...BOUNDED, inOrder: false, lostBytes: 2048 } });
  assert.deepEqual([figures.nginx?.isInOrder, figures.nginx?.lostBytes], [false, 4096]);
});
