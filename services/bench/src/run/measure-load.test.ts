import assert from "node:assert/strict";
import { test } from "node:test";
import { CellFailure } from "./cell-failure.ts";
import { Edges } from "./edges.ts";
import { LoadRun } from "./load-run.ts";
import { measureLoad } from "./measure-load.ts";
import { Watch } from "./watch.ts";
import type { TestContext } from "node:test";
import type { PhaseReadings } from "./measured-phase.ts";

const READINGS = {} as PhaseReadings;

/**
 * Load that goes to the edges as a container would: it is what it does, and ends with what that
 * returns.
 */
type Script = (edge: (name: "start" | "end") => Promise<number>) => Promise<number>;

/** @param scripts one a container */
async function measured(
  t: TestContext,
  scripts: Script[],
  {
    limits = {},
    beforeOpen = async () => {},
    broken = new Promise(() => {}),
  }: {
    limits?: Partial<{ openSeconds: number; closeSeconds: number; endSeconds: number }>;
    beforeOpen?: () => Promise<void>;
    broken?: Promise<never>;
  } = {},
) {
  const edges = new Edges(0);
  await edges.listen();
  t.after(() => edges.close());
  const controller = new AbortController();
  const order: string[] = [];
  const phase = {
    isClosed: false,
    hasLost: false,
    broken,
    open: async () => void order.push("open"),
    close: async () => {
      order.push("close");
      phase.isClosed = true;
      return READINGS;
    },
    abandon: () => void order.push("abandon"),
  };
  const edge = async (name: string) =>
    (await fetch(`http://127.0.0.1:${edges.port}/${name}`, { method: "POST" })).status;
  const result = measureLoad(phase, {
    edges,
    loads: scripts.length,
    start: () =>
      new LoadRun(
        scripts.map((script, i) => {
          const name = `load-${i + 1}`;
          return { name, ended: script(edge).then((code) => ({ code, output: name })) };
        }),
        [],
        (code, outputs) => new CellFailure("load", `${outputs} ended with ${code}`),
      ),
    beforeOpen: async () => {
      order.push("all there");
      await beforeOpen();
    },
    afterOpen: () => void order.push("goes on"),
    watch: new Watch({ signal: controller.signal, observers: [] }),
    limits: { openSeconds: 100, closeSeconds: 100, endSeconds: 100, ...limits },
  });
  return { result, order, phase, edge, controller };
}

const wellBehaved: Script = async (edge) => {
  assert.equal(await edge("start"), 204);
  assert.equal(await edge("end"), 204);
  return 0;
};

test("the phase is opened when all of the load is there, and closed when all of it has done its work", async (t) => {
  const { result, order } = await measured(t, [wellBehaved, wellBehaved]);
  const { readings, load } = await result;
  assert.equal(readings, READINGS);
  assert.deepEqual(await load.ended, [0, 0]);
  assert.deepEqual(order.slice(0, 4), ["all there", "open", "goes on", "close"]);
});

test("a load that fails after the last edge has been measured: who called decides", async (t) => {
  const { result } = await measured(t, [async (edge) => (await wellBehaved(edge)) || 99]);
  const { load } = await result;
  await assert.rejects(load.assertSuccess(), /load-1 ended with 99/);
});

test("a load that fails before an edge ends the wait of the others at it", async (t) => {
  const seen: number[] = [];
  const { result, order } = await measured(t, [
    async () => 99,
    async (edge) => {
      seen.push(await edge("start"));
      return 1;
    },
  ]);
  await assert.rejects(result, { kind: "load", message: "load-1 ended with 99" });
  assert.deepEqual(order, ["abandon"]);
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, [409]);
});

test("a load that ends between the edges, with whatever status, has failed", async (t) => {
  const { result, order } = await measured(t, [
    async (edge) => {
      await edge("start");
      return 0;
    },
  ]);
  await assert.rejects(result, { message: "load-1 ended with 0" });
  assert.ok(order.includes("open") && !order.includes("close"));
});

test("a phase that will have no readings ends the wait for the last edge", async (t) => {
  const broken: PromiseWithResolvers<never> = Promise.withResolvers();
  const { result, order } = await measured(
    t,
    [
      async (edge) => {
        await edge("start");
        broken.reject(new CellFailure("observer", "no counters"));
        return new Promise(() => {});
      },
    ],
    { broken: broken.promise },
  );
  await assert.rejects(result, { kind: "observer", message: "no counters" });
  assert.equal(order.at(-1), "abandon");
});

for (const [limit, script] of [
  ["openSeconds", () => new Promise(() => {})],
  ["closeSeconds", async (edge) => (await edge("start"), new Promise(() => {}))],
  ["endSeconds", async (edge) => (await wellBehaved(edge), new Promise(() => {}))],
] as [string, Script][]) {
  test(`a load that does not come on ends with a time-out: ${limit}`, async (t) => {
    const { result, order } = await measured(t, [script], { limits: { [limit]: 0.3 } });
    await assert.rejects(result, { kind: "timeout", message: "not through after 0.3 s" });
    assert.equal(order.at(-1), "abandon");
  });
}

test("aborted while the phase opens, it leaves nothing that the next load could meet", async (t) => {
  const slow: PromiseWithResolvers<void> = Promise.withResolvers();
  const sentOn: PromiseWithResolvers<number> = Promise.withResolvers();
  const { result, phase, edge, controller } = await measured(
    t,
    [
      async (atEdge) => {
        sentOn.resolve(await atEdge("start"));
        return 0;
      },
    ],
    {
      beforeOpen: async () => {
        controller.abort(new Error("Ctrl-C"));
        await slow.promise;
      },
    },
  );
  phase.open = async () => {
    throw new Error("the measured phase is abandoned");
  };
  await assert.rejects(result, /Ctrl-C/);
  slow.resolve();
  assert.equal(await sentOn.promise, 500);
  // No end of the load that was given up is expected.
  assert.equal(await edge("end"), 409);
});
