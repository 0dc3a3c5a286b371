import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flag } from "../model/flag.ts";
import { comparisonsJson } from "./index.ts";
import { codes, figureOf, figuresOf, look, near, told } from "./testing/look.ts";
import { rateResults } from "./testing/rates.ts";
import { leakingResults, results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";
const PLAIN: Options = { schemes: ["ws"] };

test("only the last attempt of a cell counts, and only when it is good", () => {
  const cause = { kind: "load" as const, message: "k6 ended with status 99" };
  const attempts = ["failed ok", "failed failed", "ok failed", "ok"].map((one) => one.split(" "));
  const { cells } = look(
    results({
      ...PLAIN,
      rounds: attempts.length,
      proxies: { nginx: {} },
      change: (record, { round }) =>
        attempts[round - 1].map((status, i) => ({
          ...{ ...record, attempt: i + 1 },
          ...(status === "failed" && { status, cause }),
        })),
    }),
  );
  assert.deepEqual(
    attempts.map((_, i) =>
      cells.filter(({ record }) => record.round === i + 1).map((one) => one.counted),
    ),
    [[false, true], [false, false], [false, false], [true]],
  );
});

test("what is invalid is not counted, what is weak is; each is summed up once", () => {
  const { cells, flags, find } = look(
    results({
      schemes: ["wss"],
      change: ({ tls, machine, totalSeconds }, { proxy, round }) => {
        if (proxy === "nginx" && tls) tls.cipher = "TLS_AES_256_GCM_SHA384";
        if (proxy === "haproxy" && round === 1 && machine)
          machine.stealSeconds = 0.04 * 2 * (totalSeconds ?? 0);
      },
    }),
  );
  for (const { record, counted } of cells) assert.equal(counted, record.proxy !== "nginx");
  const { rounds, estimate, rank, missing } = figureOf(find(CPU), "nginx");
  assert.deepEqual([rounds, estimate, rank], [[], null, null]);
  assert.ok(missing[0].kind === "invalid" && missing[0].flag.code === "tls");
  assert.equal(missing[0].flag.figures.found, "TLS_AES_256_GCM_SHA384");
  const [first, second] = ["r1-nginx-short-lived-wss-2000", "r1-haproxy-short-lived-wss-2000"];
  assert.deepEqual(
    flags.slice(0, 2).map(({ code, severity, cells }) => [code, severity, cells]),
    [
      ["tls", "invalid", { affected: 6, all: 24, first }],
      ["steal", "weak", { affected: 1, all: 24, first: second }],
    ],
  );
  near(figuresOf(flags, "steal")?.percent, 4, 0.01);
});

/** Of a run of one round, after a change of it. */
function flagsAfter(
  change: (run: ReturnType<typeof results>) => void,
  options: Options = {},
): Flag[] {
  const run = results({ ...PLAIN, rounds: 1, ...options });
  change(run);
  return look(run).flags;
}
const ofHaproxy = (run: ReturnType<typeof results>, changes: object) =>
  Object.assign(run.proxies[2], changes);

test("a proxy that leaves the cipher of TLS 1.3 to the client is named where TLS was measured", () => {
  const free = (options: Options) =>
    figuresOf(
      flagsAfter((run) => ofHaproxy(run, { choosesTls13Cipher: false }), options),
      "client-chooses-cipher",
    );
  assert.deepEqual(free({ schemes: ["ws", "wss"] }), { proxies: ["haproxy"] });
  assert.equal(free({}), undefined);
});

test("a variant that was measured is named, with what differs from its original", () => {
  const differs = "a larger buffer";
  const variants = (isMeasured: boolean) =>
    figuresOf(
      flagsAfter((run) => {
        ofHaproxy(run, { variantOf: { proxy: "nginx", differs } });
        if (!isMeasured) run.cells = run.cells.filter(({ proxy }) => proxy !== "haproxy");
      }),
      "variants",
    );
  assert.deepEqual(variants(true), { variants: [{ proxy: "haproxy", of: "nginx", differs }] });
  assert.equal(variants(false), undefined);
});

test("an incomplete run and shared cores have a flag", () => {
  const flags = flagsAfter(() => {}, {
    rounds: 6,
    change: (_, { round }) => (round === 6 ? [] : undefined),
  });
  assert.deepEqual(figuresOf(flags, "incomplete"), { open: 4, planned: 24 });
  const { cores, busyPercent = 0 } = figuresOf(flags, "shared-cores") ?? {};
  assert.ok(cores === 2 && busyPercent > 0 && busyPercent <= 100);
  const apart = flagsAfter((run) => run.cells.forEach((record) => (record.loadCores = 1)));
  assert.ok(!codes(apart).includes("shared-cores"));
});

test("engines of one machine share its cores, appear as one machine, and its time counts once", () => {
  // The proxy's machine is front, the load's back.
  const over = (isOne: boolean) =>
    look(
      results({
        rounds: 1,
        change: (record) => {
          assert.ok(record.machine);
          const { machine } = record;
          for (const container of Object.values(record.containers))
            container.machine = container.role === "load" ? "back" : "front";
          const usage = (other: string) => ({
            ...machine,
            ...(isOne && { sameMachineAs: [other] }),
          });
          record.machines = { back: usage("front"), front: usage("back") };
        },
      }),
    );
  const [one, two] = [over(true), over(false)];
  const told = (of: Flag[]) =>
    codes(of).filter((code) => /^(shared-cores|one-machine)$/.test(code));
  assert.deepEqual(
    [told(one.flags).sort(), told(two.flags)],
    [["one-machine", "shared-cores"], []],
  );
  assert.deepEqual(figuresOf(one.flags, "one-machine"), { names: ["back", "front"] });
  const observers = ({ cells }: typeof one) => cells[0].measures.observers_cpu_percent;
  near(observers(one) / observers(two), 2);
});

test("the same record gives the same analysis, and its file is one comparison a line", () => {
  const text = () => comparisonsJson(look(results({ spread: 0.3, rounds: 2 })).comparisons);
  assert.equal(text(), text());
  const { comparisons, settings, proxies } = JSON.parse(text());
  assert.equal(text().match(/^ {4}\{"id":/gm)?.length, comparisons.length);
  assert.deepEqual(
    Object.keys(settings).sort(),
    [...new Set(comparisons.flatMap((one: { settings: string[] }) => one.settings))].sort(),
  );
  assert.equal(proxies.length, 4);
});

test("proxies by name are compared with each other alone, on the machine index of all cells", () => {
  const proxies = { nginx: 200, haproxy: 300, envoy: 400 };
  const made = rateResults({
    scenarios: ["arrivals"],
    proxies: Object.fromEntries(
      Object.entries(proxies).map(([name, cpuUs]) => [name, { addedMs: 0.2, cpuUs }]),
    ),
  });
  const [whole, one] = [look(made), look(made, { proxies: ["haproxy", "envoy"] })];
  const ranks = (of: typeof whole) => told(of.find(CPU), ({ rank }) => rank);
  assert.deepEqual(ranks(whole), { none: null, nginx: 1, haproxy: 2, envoy: 3 });
  assert.deepEqual(ranks(one), { none: null, haproxy: 1, envoy: 2 });
  assert.equal(figureOf(one.find(CPU), "haproxy").toBest?.value, 1);
  const measured = ({ cells }: typeof whole) =>
    cells
      .filter(({ record }) => record.proxy === "haproxy")
      .map(({ record, measures }) => [record.id, measures]);
  assert.equal(measured(one).length, 6);
  assert.deepEqual(measured(one), measured(whole));
});

test("what a proxy keeps of connections that have gone is a leak from one in a hundred on", () => {
  const leakOf = (left: number) =>
    figuresOf(look(leakingResults(left)).find("proxy_sockets_left").flags, "leak");
  assert.equal(leakOf(19), undefined);
  const proxies = [{ proxy: "nginx", left: 20 }];
  assert.deepEqual(leakOf(20), { proxies, connections: 2000, limit: 1 });
});
