import assert from "node:assert/strict";
import { test } from "node:test";
import { figureOf, figuresOf, look, told } from "./testing/look.ts";
import { idleResults, results } from "./testing/results.ts";

type Idle = Parameters<typeof idleResults>[0];

/** All, user and kernel memory. */
function slopesIn(of: ReturnType<typeof results>) {
  return look(of).all.filter(({ question }) => question === "memory-per-connection");
}
const slopesOf = (options: Idle) => slopesIn(idleResults(options));
/** Of those that were opened hardly any were held. */
const drop: NonNullable<NonNullable<Idle>["change"]> = (record) => {
  record.connectionsHeld = { from: 10, to: 10 };
};

test("a proxy that ends early: where, and why; with fewer than four counts it has no slope", () => {
  const [all] = slopesOf({
    skip: ({ proxy, parameters }) =>
      proxy === "haproxy" && parameters.CONNECTIONS > 3000 ? "needs more descriptors" : null,
  });
  const { estimate, missing, extra } = figureOf(all, "haproxy");
  const why = { kind: "skipped", why: "needs more descriptors" };
  assert.deepEqual(extra.ended, { connections: 3000, next: 4000, why });
  assert.deepEqual([estimate, missing], [null, [why]]);
  assert.deepEqual(figuresOf(all.flags, "no-slope"), { proxies: ["haproxy"] });
  const few = slopesOf({
    change: (record) => {
      if (record.proxy === "haproxy" && record.parameters.CONNECTIONS < 3000) drop(record);
    },
  });
  const unended = figureOf(few[0], "haproxy");
  assert.deepEqual(
    [unended.extra.ended, unended.missing],
    [null, [{ kind: "few-counts", counts: 3, least: 4 }]],
  );
});

test("a cell that does not count is no point, and is the end where it is the last", () => {
  const [all] = slopesOf({
    change: (record) => {
      if (record.proxy === "nginx" && record.parameters.CONNECTIONS === 5000) drop(record);
    },
  });
  const { estimate, extra } = figureOf(all, "nginx");
  assert.deepEqual([extra.curve?.length, estimate?.low], [4, null]);
  const { next, why } = extra.ended ?? {};
  assert.ok(next === 5000 && why?.kind === "invalid" && why.flag.code === "not-held");
  // Of four points no interval is known, and so nobody is ranked.
  assert.deepEqual(figuresOf(all.flags, "few-points"), { proxies: 2, points: 4 });
  assert.ok(all.figures.every(({ rank, toBest }) => rank === null && toBest === null));
});

test("slopes are compared at the counts that all carry, and each says how far it was measured", () => {
  const counts = [1000, 2000, 3000, 4000, 5000, 6000];
  const [all] = slopesOf({
    counts: [...counts, 20_000],
    skip: ({ proxy, parameters }) =>
      proxy === "haproxy" && parameters.CONNECTIONS > 6000 ? "needs more descriptors" : null,
    change: ({ proxy, parameters, containers }) => {
      // Beyond what all carry a connection costs nginx three times as much.
      const { mean } = containers[proxy]?.memory ?? {};
      if (proxy === "nginx" && parameters.CONNECTIONS === 20_000 && mean?.usageBytes)
        mean.usageBytes *= 3;
    },
  });
  const [without] = slopesOf({ counts });
  assert.deepEqual(figuresOf(all.flags, "common-counts"), { least: 1000, most: 6000 });
  const upTo = told(all, ({ extra }) => extra.upTo);
  assert.deepEqual([upTo.nginx, upTo.haproxy], [20_000, 6000]);
  for (const name of ["nginx", "haproxy"]) {
    const [own, other] = [all, without].map((one) => figureOf(one, name));
    assert.deepEqual([own.estimate, own.rank], [other.estimate, other.rank]);
  }
  assert.equal(figureOf(all, "nginx").extra.curve?.length, 7);
  assert.equal(figuresOf(without.flags, "common-counts"), undefined);
});

test("steal and foreign load take CPU time and no memory; a slope keeps such cells", () => {
  const { cells, find } = look(
    idleResults({
      change: ({ machine, parameters }) => {
        const disturbed = { stealSeconds: 5, foreignSeconds: 5 };
        if (parameters.CONNECTIONS === 3000) Object.assign(machine ?? {}, disturbed);
      },
    }),
  );
  assert.equal(cells.filter(({ counted }) => !counted).length, 3);
  const counts = told(find("memory-per-connection"), ({ extra }) => extra.curve?.length);
  assert.deepEqual(counts, { none: 5, nginx: 5, haproxy: 5 });
});

test("a proxy whose cells are all void leaves no rank to the survivors", () => {
  const [all] = slopesOf({
    rounds: 2,
    change: (record) => {
      if (record.proxy === "nginx") drop(record);
    },
  });
  assert.deepEqual(figuresOf(all.flags, "survivors"), { proxies: ["nginx"] });
  assert.ok(all.figures.every(({ rank }) => rank === null));
});

test("memory that is not counted has no slope, short connections none; that which stays has 0", () => {
  const usage = (changes: object): Idle => ({
    change: ({ containers }) => {
      for (const { memory } of Object.values(containers))
        Object.assign(memory?.mean ?? {}, changes);
    },
  });
  const [, , kernel] = slopesOf(usage({ kernelBytes: null }));
  for (const { estimate, missing } of kernel.figures)
    assert.deepEqual([estimate, missing], [null, [{ kind: "uncounted" }]]);
  assert.deepEqual(slopesIn(results({ rounds: 1 })), []);
  assert.deepEqual(slopesOf({ counts: [1, 2, 3] }), []);
  const [flat] = slopesOf(usage({ usageBytes: 5e6 }));
  assert.ok(flat.figures.every(({ estimate }) => estimate?.value === 0));
});
