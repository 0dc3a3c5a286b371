/**
 * A tiny battle from its plan to its report, in a real browser; and its counters against what cAdvisor saw.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { finishedTestbed, lastAttempts } from "../testbed.js";

test("a battle ends with a report that a browser shows whole, wide and narrow, light and dark", async (t) => {
  const { bench, directory, results, runFolder } = await finishedTestbed(t);
  const { cells: attempts, plan } = results();
  const cells = lastAttempts(attempts);
  assert.deepEqual(
    cells.map(({ id, status }) => [id, status]),
    plan.cells.map(({ id }) => [id, "ok"]),
  );
  const folder = join(directory, runFolder());

  await t.test("everything that conclusions rest on is in the folder", () => {
    for (const name of ["plan.json", "environment.json", "results.csv", "report.md"])
      assert.ok(existsSync(join(folder, name)), name);
    for (const {
      id,
      connections,
      handshakeMs,
      containers,
      proxy,
      tls,
      scheme,
      echoWorkers,
      reference,
    } of cells) {
      const files = readdirSync(join(folder, "cells", id));
      for (const file of ["cell.json", "latencies.csv.gz", "samples.csv", "cadvisor.csv", "logs"])
        assert.ok(files.includes(file), `${id} has no ${file}: ${files}`);
      assert.deepEqual(connections, { asked: 600, opened: 600, failed: 0, failedByCause: {} });
      assert.equal(handshakeMs?.count, 600);
      // One in eight of all, so one to seven; the echo server that stands in the control's place has none of them.
      assert.deepEqual(reference, { connections: 85, messages: 1700, requests: 0 });
      assert.equal(
        echoWorkers?.reduce((sum, worker) => sum + worker.messages, 0),
        proxy === "none" ? 12_000 : 13_700,
      );
      assert.equal(tls?.version, scheme === "wss" ? "TLSv1.3" : undefined);
      for (const [service, { cpu, role }] of Object.entries(containers)) {
        // hitch has nothing to do over ws, nor the echo server behind no proxy: the load reaches another one.
        const idles =
          (scheme === "ws" && service.endsWith("-tls")) || (proxy === "none" && role === "echo");
        if (role !== "observer" && !idles)
          assert.ok(cpu.totalSeconds > 0.01, `${id}: ${service} used ${cpu.totalSeconds} s`);
      }
    }
  });

  await t.test("the counters are those that cAdvisor saw", () => {
    for (const { id, measured } of cells) {
      const samples = rows(join(folder, "cells", id, "samples.csv")).filter(
        ({ service }) => service === "echo",
      );
      const seen = rows(join(folder, "cells", id, "cadvisor.csv")).filter(
        ({ service, series }) => service === "echo" && series === "cpu_usage_total",
      );
      for (const { ms, value } of seen) {
        const at = Number(ms) - Number(measured?.fromMs);
        const after = samples.findIndex((sample) => Number(sample.ms) >= at);
        if (after < 1) continue;
        const [low, high] = [samples[after - 1], samples[after]].map((sample) =>
          Number(sample.cpu_seconds),
        );
        const cadvisor = Number(value) / 1e9;
        // cAdvisor notes the time before it reads, at times some 100 ms before.
        assert.ok(
          cadvisor > low - 0.3 && cadvisor < high + 0.3,
          `${id}: ${cadvisor} s, not in ${low} to ${high}`,
        );
      }
    }
  });

  const file = join(folder, "report.html");
  await t.test("the report is made again from the record alone", async () => {
    const before = readFileSync(file, "utf8");
    rmSync(file);
    const again = await bench(["report", runFolder()], { DOCKER_HOST: "unix:///nowhere" }).ended;
    assert.equal(again.code, 0, again.output);
    assert.equal(readFileSync(file, "utf8"), before);
  });

  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => browser.close());
  for (const width of [1280, 390]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await t.test(`${width} px, ${colorScheme}`, async () => {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        /** @type {string[]} */
        const faults = [];
        page.on("pageerror", (error) => faults.push(String(error)));
        page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
        page.on(
          "request",
          (request) => request.url() === `file://${file}` || faults.push(request.url()),
        );
        await page.goto(`file://${file}`);
        assert.deepEqual(faults, []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        const text = await page.innerText("body");
        for (const title of ["Tiny battle", "nginx", "HAProxy + hitch", "no proxy"])
          assert.ok(text.includes(title), title);
        assert.doesNotMatch(text, /\b(undefined|NaN|null)\b/);
        assert.ok((await page.locator("svg").count()) > 4);
        await page.close();
      });
    }
  }
});

/**
 * @param {string} file CSV without quotes
 * @returns {Record<string, string>[]}
 */
function rows(file) {
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const columns = header.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    return Object.fromEntries(columns.map((name, i) => [name, fields[i]]));
  });
}
