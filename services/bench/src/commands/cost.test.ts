import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { costRun, TRUTHS } from "../analyse/testing/costs.ts";
import { root } from "../plan/testing/project.ts";
import { cost } from "./cost.ts";
import type { Comparisons } from "../model/comparison.ts";
import type { CostArguments } from "./definitions/cost.ts";
import type { TestContext } from "node:test";

const COST = costRun("cost");
const MIXED = costRun("mixed", { speed: 1.1 });

/** @param runs by name of the folder in results/ */
function projectWith(t: TestContext, runs: Record<string, Comparisons>) {
  const directory = mkdtempSync(join(tmpdir(), "cost-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const name of ["battles", "loadgen", "proxies"])
    symlinkSync(join(root, name), join(directory, name));
  for (const [name, run] of Object.entries(runs)) {
    mkdirSync(join(directory, "results", name), { recursive: true });
    writeFileSync(join(directory, "results", name, "comparisons.json"), JSON.stringify(run));
  }
  return directory;
}

const LOAD = {
  ...{ connections: 20_000, messagesPerSecond: 330, messageBytes: 512, newPerSecond: 5, tls: true },
};

async function told(directory: string, wanted: Partial<CostArguments> = {}): Promise<string> {
  const lines: string[] = [];
  const take = (line: string) => void lines.push(line);
  const all = { load: LOAD, markdown: false, ...wanted };
  assert.equal(await cost(directory, all, { say: take, print: take }), 0);
  return lines.join("\n");
}

const startedAt = (run: Comparisons, time: string): Comparisons => ({ ...run, startedAt: time });

test("a load's cost, of each proxy, the cheapest first, and what lies outside of the measured", async (t) => {
  const earlier = startedAt(costRun("cost", { speed: 9 }), "2026-01-01");
  const text = await told(projectWith(t, { earlier, new: COST, mixed: MIXED }));
  assert.match(
    text,
    /^20,000 connections held, 330 messages\/s of 512 bytes, 5 new connections\/s, TLS\n/,
  );
  const [nginx, haproxy] = ["nginx", "HAProxy"].map((title) => text.indexOf(`\n${title} `));
  assert.ok(haproxy > 0 && haproxy < nginx);
  // 0.001 + 20,000 × 1e-7 + 5 × 400e-6 + 330 × 40e-6 + 335 × 512 × 2e-9 + 345 × ln(1,000 / 345) × 60e-6; 20 MB + 20,000 × 25 kB.
  assert.match(text, /^nginx +0\.0406 +0\.0406–0\.0406 +0\.484 +0\.484–0\.484$/m);
  assert.match(
    text,
    /^Extrapolated beyond what was measured\. connections: measured up to 4,000\.$/m,
  );
  assert.match(text, /^From results\/new\. CPU is as on its machine: \.\/bench calibrate/m);
});

test("CPU is scaled to this machine by the newest calibration", async (t) => {
  const nginx = { nginx: TRUTHS.nginx };
  const calibration = costRun("calibrate", { speed: 2, truths: nginx });
  const text = await told(projectWith(t, { cost: COST, calibration }));
  assert.match(text, /^nginx +0\.0811 .* 0\.484 /m);
  assert.match(text, /CPU is scaled to this machine: × 2\.00, by \.\/bench calibrate\.$/m);
});

test("docs/commands.md says how often the published predictions were right", async () => {
  const runs = { from: "cost/2026-11-27T20-46", check: "mixed/2026-11-28", markdown: true };
  const rows = (await told(root, runs)).matchAll(
    /^\| (.*) \| (\d+) of 12 \| .* \| (\d+) of 12 \|/gm,
  );
  const hits = [...rows].map(([, title, cpu, memory]) => ({
    ...{ title, cpu: Number(cpu), memory: Number(memory) },
  }));
  assert.equal(hits.length, 6);
  const range = (what: "cpu" | "memory") => {
    const [least, ...more] = hits.toSorted((a, b) => a[what] - b[what]);
    const most = more[more.length - 1];
    const best = hits.filter((one) => one[what] === most[what]);
    return `${least[what]} (${least.title}) to ${most[what]} (${best.length === 1 ? most.title : "four proxies"})`;
  };
  const text = readFileSync(join(root, "docs/commands.md"), "utf8").replaceAll("\n", " ");
  for (const what of ["cpu", "memory"] as const)
    assert.ok(text.includes(`of ${range(what)}`), range(what));
  assert.equal(hits.filter(({ memory }) => memory === 12).length, 4);
});

test("predictions are written once, before a run; then each stands beside its measurement", async (t) => {
  const future = startedAt(MIXED, new Date(Date.now() + 1e6).toISOString());
  const directory = projectWith(t, { cost: COST, past: MIXED, mixed: future });
  await assert.rejects(told(directory, { check: "mixed" }), {
    message: "there are no predictions: results/cost/predictions.json",
    next: /--predict mixed/,
  });
  assert.match(
    await told(directory, { predict: "mixed" }),
    /predictions\.json: 12 mixes of mixed$/,
  );
  const file = join(directory, "results/cost/predictions.json");
  assert.equal(JSON.parse(readFileSync(file, "utf8")).mixes.length, 12);
  await assert.rejects(told(directory, { predict: "mixed" }), /a prediction is made once/);

  await assert.rejects(told(directory, { check: "past" }), /past began before the predictions/);
  await assert.rejects(told(directory, { check: "cost" }), /began before/);
  const text = await told(directory, { check: "mixed" });
  assert.match(text, /The reference itself cost 1\.10 to 1\.10 times what was predicted/);
  assert.match(text, /^nginx +12 of 12 .* 12 of 12 /m);
  assert.equal(text.match(/connections held/g)?.length, 12);
  const markdown = await told(directory, { check: "mixed", markdown: true });
  assert.equal(markdown.match(/^\| nginx \|/gm)?.length, 13);
});

for (const [title, wanted, message] of [
  ["no run of the battle", {}, /^there is no run of the battle cost$/],
  ["a run that is not there", { from: "x" }, /^there is no run x, or it has no comparisons\.json$/],
  ["a run of another battle", { from: "mixed" }, /^results\/mixed is a run of mixed$/],
] as const)
  test(`${title} is refused`, (t) =>
    assert.rejects(told(projectWith(t, { mixed: MIXED }), wanted), { message }));

test("a battle without mixed loads, and a scheme that was not measured, are refused", async (t) => {
  const ws = costRun("cost", { isWanted: ({ scheme }) => scheme === "ws" });
  const directory = projectWith(t, { cost: COST, ws });
  await assert.rejects(told(directory, { predict: "quick" }), {
    message: "the battle quick has no mixed loads",
  });
  await assert.rejects(told(directory, { from: "ws" }), {
    message: "results/ws has measured nothing over wss",
  });
});
