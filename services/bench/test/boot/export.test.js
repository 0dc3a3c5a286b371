/**
 * `./bench export` on a tiny battle and a real InfluxDB: every panel, with and without its points in the database, with a query
 * that is broken, and as a snapshot.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { panelsOf, readDashboards } from "../../src/panels/dashboards.js";
import { pixelsOf } from "../../src/panels/testing/png.js";
import { finishedTestbed } from "../testbed.js";
import { atEnd } from "../lab.js";

const CPU = /^battle-\d+-cpu-per-handshake-/;

test("a battle's panels are exported without Grafana", async (t) => {
  const { bench, directory, project, runFolder, assertNothingLeft } = await finishedTestbed(t);
  const panels = join(directory, runFolder(), "panels");
  const read = (/** @type {string} */ name) => readFileSync(join(panels, name), "utf8");
  const files = (/** @type {string} */ ending) =>
    readdirSync(panels).filter((name) => name.endsWith(ending));
  const dashboards = readDashboards(directory);

  await t.test(
    "every panel in every format, with an index page; nothing stays behind",
    async () => {
      const { code, output } = await bench(["export"]).ended;
      assert.equal(code, 0, output);
      for (const dashboard of dashboards) {
        for (const { id } of panelsOf(dashboard)) {
          for (const ending of [".svg", ".png", ".csv", ".json"]) {
            const names = files(ending).filter((name) =>
              name.startsWith(`${dashboard.uid}-${id}-`),
            );
            assert.ok(names.length > 0, `no ${ending} of ${dashboard.uid} ${id}: ${output}`);
          }
        }
      }
      const page = read("index.html");
      for (const [, link] of page.matchAll(/(?:href|src)="([^"#:]+)"/g))
        assert.ok(existsSync(join(panels, link)), link);
      await assertNothingLeft();
    },
  );

  await t.test("no picture is blank; each says its title, and axes their units", () => {
    for (const name of files(".png")) {
      const { colours } = pixelsOf(readFileSync(join(panels, name)));
      assert.ok(colours.size > 10, `${name} is blank`);
    }
    const titles = dashboards.flatMap((dashboard) => panelsOf(dashboard).map(({ title }) => title));
    for (const name of files(".svg")) {
      const [, title] = /<title[^>]*>([^<]+)</.exec(read(name)) ?? [];
      const plain = (title ?? "").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
      assert.ok(
        titles.some((one) => plain.startsWith(one)),
        `${name}: ${title}`,
      );
    }
  });

  await t.test(
    "the setting's panels are those of one setting each, with the figures of the record",
    () => {
      const csv = files(".csv").filter((name) => CPU.test(name));
      assert.equal(csv.length, 2, `${files(".csv")}`);
      for (const name of csv) {
        const [header, row] = read(name).trim().split("\n");
        const columns = header.split(",");
        assert.ok(columns.includes("nginx"), header);
        assert.ok(Number(row.split(",")[columns.indexOf("nginx")]) > 0, row);
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
      const setting = dashboard.templating.list.find(
        (/** @type {any} */ { name }) => name === "setting",
      );
      for (const panel of dashboard.panels) {
        const own = exported.find(
          (one) =>
            one.panel.id === panel.id && one.variables.setting.values[0] === setting.current.value,
        );
        if (!own) continue;
        const valuesOf = (/** @type {any[]} */ frames) => frames.map(({ data }) => data.values);
        assert.deepEqual(
          valuesOf(panel.targets[0].snapshot),
          own.frames.map((/** @type {any} */ { fields }) =>
            fields.map((/** @type {any} */ field) => field.values),
          ),
        );
        compared += 1;
      }
    }
    assert.ok(compared > 10, `${compared}`);

    /** @type {any[]} */
    const posted = [];
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
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
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
      assert.deepEqual([...written].sort(), others.map(({ id }) => id).sort());
      assert.match(read("index.html"), /failed/);
      await assertNothingLeft();
    },
  );

  for (const [args, fact] of /** @type {const} */ ([
    [["2026-never"], /unknown run: 2026-never/],
    [["--dashboard", "batle"], /unknown dashboard: batle\n.*Did you mean battle\?/],
    [["--dashboard", "battle", "--panel", "9999"], /unknown panel: 9999/],
    [["--format", "gif"], /--format is "gif"/],
  ])) {
    await t.test(`${args.join(" ")}: refused with status 2, and nothing is started`, async () => {
      const { code, output } = await bench(["export", ...args]).ended;
      assert.equal(code, 2, output);
      assert.match(output, fact);
      await assertNothingLeft();
    });
  }
});
