/**
 * What is made of a finished run: its report, in a real browser, and its counters against what
 * cAdvisor saw; and every panel of the dashboards, as export draws it with neither browser nor
 * Grafana: in all formats, with its figures, what it is of, a query that is broken, and as a
 * snapshot. Of a single load, k6's, what there is of it and nothing else.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { chromium } from "playwright-core";
import { readRows } from "../../src/record/csv.ts";
import { panelsOf, readDashboards } from "../../src/panels/dashboards.ts";
import { pixelsOf } from "../../src/panels/testing/png.ts";
import { Project } from "../../src/platform/compose.ts";
import { Influx } from "../../src/platform/influx.ts";
import { finishedTestbed, lastAttempts, testbed } from "../testbed.ts";
import { atEnd, joinProject, waitForLoad } from "../lab.ts";
import type { Entry } from "../../src/panels/folder.ts";
import type { AddressInfo } from "node:net";

const CPU = /^battle-1101-.*-cpu-per-connection/;
/** What short connections of one kind do not tell. */
const EMPTY = /held|failed|still open|rates that were tried/i;
const FORMATS = ["svg", "png", "csv", "json"];
/** The dashboards look for containers of this project. */
const USUAL_PROJECT = "ws-proxy-bench";

/**
 * What cAdvisor saw has the name of the test's project; what comes from a record has the usual one.
 *
 * @param directory a copy of the project, whose dashboards are to show its own containers
 * @param project name
 */
function showContainersOf(directory: string, project: string) {
  const generated = join(directory, "dashboards/generated");
  for (const name of readdirSync(generated)) {
    const text = readFileSync(join(generated, name), "utf8");
    writeFileSync(
      join(generated, name),
      text.replaceAll(USUAL_PROJECT, `(?:${USUAL_PROJECT}|${project})`),
    );
  }
}

/**
 * @param folder of an export
 * @returns what its page shows
 */
function entriesIn(folder: string): Entry[] {
  return JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
}

/**
 * Each panel has all its files, or the page says why it has none; nothing that was written is
 * blank.
 *
 * @param folder of an export
 * @param caption of each picture
 */
function assertWhole(folder: string, caption: RegExp) {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  for (const { name, title, noData } of entriesIn(folder)) {
    const files = FORMATS.filter((format) => existsSync(join(folder, `${name}.${format}`)));
    assert.deepEqual(files, noData === undefined ? FORMATS : [], name);
    if (noData !== undefined) assert.ok(page.includes(`<li>${noData}:`), title);
  }
  for (const [, link] of page.matchAll(/(?:href|src)="([^"#:]+)"/g))
    assert.ok(existsSync(join(folder, link)), link);
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".png")) {
      const { colours } = pixelsOf(readFileSync(join(folder, name)));
      assert.ok(colours.size > 10, `${name} is blank`);
    }
    if (!name.endsWith(".svg")) continue;
    const { document } = new JSDOM(readFileSync(join(folder, name), "utf8"), {
      contentType: "image/svg+xml",
    }).window;
    const lines = [...document.querySelectorAll(".caption text")];
    assert.match(lines.map(({ textContent }) => textContent).join(" · "), caption, name);
  }
}

/** @param file CSV without quotes */
function rows(file: string): Record<string, string>[] {
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const columns = header.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    return Object.fromEntries(columns.map((name, i) => [name, fields[i]]));
  });
}

test("a battle ends with a report that a browser shows whole, wide and narrow, light and dark", async (t) => {
  const { bench, directory, results, runFolder, quieten } = await finishedTestbed(t);
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
      // One in five of all, so one to four; the echo server that stands in the control's place
      // has none of them.
      assert.deepEqual(reference, { connections: 150, messages: 3000, requests: 0 });
      assert.equal(
        echoWorkers?.reduce((sum, worker) => sum + worker.messages, 0),
        proxy === "none" ? 12_000 : 15_000,
      );
      assert.equal(tls?.version, scheme === "wss" ? "TLSv1.3" : undefined);
      for (const [service, { cpu, role }] of Object.entries(containers)) {
        // hitch has nothing to do over ws, nor the echo server behind no proxy: the load reaches
        // another one.
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
        // cAdvisor notes the time before it reads, at times about 100 ms before.
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

  // Whatever else ran: a proxy without a valid cell has no row that is open to see.
  quieten();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => browser.close());
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await t.test(`${width} px, ${colorScheme}`, async () => {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        const faults: string[] = [];
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

test("a battle's panels are exported without Grafana", async (t) => {
  const bed = await finishedTestbed(t);
  const { bench, directory, project, runFolder, assertNothingLeft } = bed;
  bed.quieten();
  const panels = join(directory, runFolder(), "panels");
  const read = (name: string) => readFileSync(join(panels, name), "utf8");
  const files = (ending: string) => readdirSync(panels).filter((name) => name.endsWith(ending));
  showContainersOf(directory, project.name);
  const dashboards = readDashboards(directory);

  await t.test(
    "every panel with data in every format, the others on the index page; nothing stays behind",
    async () => {
      const { code, output } = await bench(["export"]).ended;
      assert.equal(code, 0, output);
      const load =
        "short-lived: 600 connections, 50 at a time, 20 messages per connection, 500-byte messages";
      const run = basename(runFolder());
      assertWhole(
        panels,
        new RegExp(`^run ${run} · haproxy-hitch, nginx · (ws|wss|ws, wss) · ${load} · \\d{4}-`),
      );
      const entries = entriesIn(panels);
      for (const dashboard of dashboards) {
        const own = entries.filter((entry) => entry.dashboard === dashboard.uid);
        // There is nothing that this run was compared with.
        const expected = dashboard.uid === "compare" ? [] : panelsOf(dashboard);
        assert.deepEqual(
          new Set(own.map(({ id }) => id)),
          new Set(expected.map(({ id }) => id)),
          dashboard.uid,
        );
      }
      assert.match(output, /Compare is left out: this run has no baseline/);
      const { width, height } = pixelsOf(readFileSync(join(panels, "slide.png")));
      assert.deepEqual([width, height], [1200, 630]);
      const empty = entries.filter(({ noData }) => noData !== undefined);
      assert.ok(empty.length > 0);
      for (const { title } of empty) assert.match(title, EMPTY);
      await assertNothingLeft();
    },
  );

  await t.test("each picture says its title, and the scheme of its setting", () => {
    const titles = entriesIn(panels).map((entry) => entry.title);
    for (const name of files(".svg")) {
      const [, title] = /<title[^>]*>([^<]+)</.exec(read(name)) ?? [];
      const plain = (title ?? "").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
      assert.ok(titles.includes(plain), `${name}: ${title}`);
      assert.doesNotMatch(plain, /[$]/);
    }
    const schemes = files(".svg")
      .filter((name) => CPU.test(name))
      .map((name) => / nginx · (\w+)/.exec(read(name))?.[1]);
    assert.deepEqual(schemes, ["ws", "wss"]);
  });

  await t.test(
    "the setting's panels are those of one setting each, with the figures of the record",
    () => {
      const csv = files(".csv").filter((name) => CPU.test(name));
      assert.equal(csv.length, 2, `${files(".csv")}`);
      for (const name of csv) {
        const row = readRows(read(name)).find(({ Proxy }) => Proxy === "nginx");
        assert.ok(Number(row?.Median) > 0, read(name));
        // When the run ended.
        assert.match(String(row?.Time), /^20\d\d-/);
      }
    },
  );

  await t.test("from the record alone: the same figures", async () => {
    const name = files(".csv").find((one) => CPU.test(one)) ?? "";
    const before = read(name);
    rmSync(panels, { recursive: true });
    await project.down();
    const { code, output } = await bench([
      "export",
      runFolder(),
      "--dashboard",
      "battle",
      "--format",
      "csv",
    ]).ended;
    assert.equal(code, 0, output);
    assert.match(output, /from its record/);
    assert.equal(read(name), before);
    assert.deepEqual(files(".svg"), []);
  });

  await t.test("a snapshot holds what the queries answered, in a file and posted", async (t) => {
    const args = ["export", "--dashboard", "battle", "--format", "json", "--snapshot"];
    const { code, output } = await bench(args).ended;
    assert.equal(code, 0, output);
    const snapshots = files("snapshot.json").map((name) => JSON.parse(read(name)));
    assert.equal(snapshots.length, 2);
    const exported = files(".json").flatMap((name) =>
      name.startsWith("battle-") ? [JSON.parse(read(name))] : [],
    );
    let compared = 0;
    for (const { dashboard } of snapshots) {
      const setting = dashboard.templating.list.find(({ name }: any) => name === "setting");
      for (const panel of dashboard.panels) {
        // A panel that is there more than once has its id before the number of the copy.
        const ids = [panel.id, Math.floor(panel.id / 1000)];
        const own = exported.filter(
          ({ panel: { id }, variables }) =>
            ids.includes(id) && variables.setting.values[0] === setting.current.value,
        );
        if (own.length === 0) continue;
        const values = panel.targets[0].snapshot.map(({ data }: any) => data.values);
        const answered = own.map(({ frames }) =>
          frames.map(({ fields }: any) => fields.map((field: any) => field.values)),
        );
        assert.ok(
          answered.some((one) => isDeepStrictEqual(one, values)),
          panel.title,
        );
        compared += 1;
      }
    }
    assert.ok(compared > 10, `${compared}`);

    const posted: any[] = [];
    const server = createServer(async (request, response) => {
      posted.push([request.url, JSON.parse((await request.toArray()).join(""))]);
      const body = {
        url: "http://g/dashboard/snapshot/k",
        deleteUrl: "http://g/api/snapshots-delete/d",
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    atEnd(t, () => server.close());
    const { port } = server.address() as AddressInfo;
    const second = await bench([...args, `http://127.0.0.1:${port}`]).ended;
    assert.equal(second.code, 0, second.output);
    assert.match(second.output, /http:\/\/g\/dashboard\/snapshot\/k\n.*snapshots-delete\/d/);
    assert.deepEqual(
      posted.map(([url, { dashboard }]) => [url, dashboard.panels]),
      snapshots.map(({ dashboard }) => ["/api/snapshots", dashboard.panels]),
    );
  });

  await t.test(
    "a broken query is named with its panel, the others are written, and the status tells",
    async () => {
      const file = join(directory, "dashboards/generated/battle.json");
      const dashboard = JSON.parse(readFileSync(file, "utf8"));
      const [broken, ...others] = panelsOf(dashboard);
      const target = broken.targets?.[0];
      assert.ok(target);
      target.query = "SELECT nonsense( FROM cells";
      writeFileSync(file, JSON.stringify(dashboard));
      rmSync(panels, { recursive: true });
      const { code, output } = await bench(["export", "--dashboard", "battle", "--format", "svg"])
        .ended;
      assert.equal(code, 1, output);
      assert.match(output, new RegExp(`FAILED {2}battle ${broken.id} .*`));
      assert.ok(output.includes("SELECT nonsense( FROM cells"), output);
      const written = new Set(files(".svg").map((name) => Number(name.split("-")[1])));
      const shown = entriesIn(panels).flatMap(({ id, noData }) => (noData === undefined ? id : []));
      assert.deepEqual(new Set(shown), new Set([broken.id, ...written]));
      assert.ok(others.some(({ id }) => written.has(id)));
      assert.match(read("index.html"), /failed/);
      await assertNothingLeft();
    },
  );

  for (const [args, fact] of [
    [["2026-never"], /unknown run: 2026-never/],
    [["--dashboard", "batle"], /unknown dashboard: batle\n.*Did you mean battle\?/],
    [["--dashboard", "battle", "--panel", "9999"], /unknown panel: 9999/],
    [["--format", "gif"], /--format is "gif"/],
  ] as const) {
    await t.test(`${args.join(" ")}: refused with status 2, and nothing is started`, async () => {
      const { code, output } = await bench(["export", ...args]).ended;
      assert.equal(code, 2, output);
      assert.match(output, fact);
      await assertNothingLeft();
    });
  }
});

test("of a single load over wss what there is of it is exported, and nothing blank", async (t) => {
  const { bench, directory, project } = testbed(t);
  showContainersOf(directory, project.name);
  const load = new Project(directory, {
    name: project.name,
    profile: "nginx",
    env: {
      ...{ ...project.env, SCENARIO: "short-lived", SCHEME: "wss" },
      ...{ CONNECTIONS: "300", CONCURRENCY: "20", MESSAGES: "3" },
    },
  });
  await load.check(["up", "--detach"]);
  assert.equal(await waitForLoad(load), 0);
  assert.equal(await waitForLoad(load, "watch"), 0);
  const results = join(directory, "results");

  await t.test("the dashboard that has data, each picture with its load", async () => {
    const { code, output } = await bench(["export"]).ended;
    assert.equal(code, 0, output);
    const [run, ...others] = readdirSync(results);
    assert.deepEqual(others, []);
    assert.match(run, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
    assert.match(output, new RegExp(`^bench: run ${run}$`, "m"));
    assert.match(output, /Battle is left out: this run has no setting/);
    assert.match(output, /Compare is left out: this run has no (setting|baseline)/);
    const folder = join(results, run, "panels");
    const about =
      "short-lived: 300 connections, 20 at a time, 3 messages per connection, 1,024-byte messages";
    assertWhole(folder, new RegExp(`^run ${run} · nginx · wss · ${about} · \\d{4}-.* UTC$`));
    const entries = entriesIn(folder);
    assert.deepEqual([...new Set(entries.map(({ dashboard }) => dashboard))], ["proxies-live"]);
    // Nothing has failed, and only the runner of battles knows how much was throttled.
    assert.deepEqual(
      entries.flatMap(({ title, noData }) => (noData === undefined ? [] : [[title, noData]])),
      [
        ["Connections failed, by cause", "0 failures in this range"],
        ["Throttled by the CPU budget", "Known only in battles: ./bench run"],
      ],
    );
  });

  await t.test(
    "a dashboard without data for the run: said so, and nothing is written",
    async () => {
      const [run] = readdirSync(results);
      const before = readdirSync(join(results, run, "panels"));
      const { code, output } = await bench(["export", "--dashboard", "battle"]).ended;
      assert.equal(code, 1, output);
      assert.match(
        output,
        /no data for dashboard battle in the run .*\n.*Battle: this run has no setting/,
      );
      assert.deepEqual(readdirSync(join(results, run, "panels")), before);
    },
  );

  await t.test(
    "an old run whose name has colons is exported to a folder that has none",
    async (t) => {
      await joinProject(t, project.name);
      const run = "2026-01-01T00:00:00Z";
      const tags = { run, proxy: "nginx", scenario: "short-lived", scheme: "wss" };
      const points = [5000, 1000].map((ago) => ({
        measurement: "vus",
        tags,
        fields: { value: 1 },
        ms: Date.now() - ago,
      }));
      await new Influx("http://influxdb:8086").write("k6", points);
      const folder = "2026-01-01T00-00-00Z";
      for (const name of [run, folder]) {
        rmSync(join(results, folder), { recursive: true, force: true });
        const { code, output } = await bench(["export", name, "--panel", "107"]).ended;
        assert.equal(code, 0, output);
        assertWhole(
          join(results, folder, "panels"),
          new RegExp(`^run ${run} · nginx · wss · short-lived · \\d{4}-`),
        );
        assert.ok(existsSync(join(results, folder, "panels/proxies-live-107-cpu.png")), output);
      }
    },
  );
});
