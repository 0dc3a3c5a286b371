import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { GENERATED, generate } from "./generate.js";
import { interpolate } from "./influxql.js";

const DATASOURCES = fileURLToPath(
  new URL("../../services/grafana/provisioning/datasources/influxdb.yaml", import.meta.url),
);

/** An InfluxDB to run every query on, such as http://127.0.0.1:8086; without it they are only taken apart. */
const { INFLUXDB_URL } = process.env;

/**
 * @typedef {{ query: string, refId: string, datasource: { type: string, uid: string } }} Target
 * @typedef {{ id: number, type: string, title?: string, description?: string, targets?: Target[],
 *   datasource: { type: string, uid: string }, panels?: Panel[],
 *   gridPos: { x: number, y: number, w: number, h: number },
 *   fieldConfig: { defaults: { unit?: string, noValue?: string } } }} Panel
 * @typedef {{ name: string, type: string, query: string, datasource: { type: string, uid: string } }} Variable
 * @typedef {{ uid: string, title: string, panels: Panel[], templating: { list: Variable[] } }} Dashboard
 * @typedef {{ uid: string, type: string, jsonData: { dbName: string } }} Datasource
 */

/** @type {Map<string, Datasource>} */
const datasources = new Map(
  parse(readFileSync(DATASOURCES, "utf8")).datasources.map(
    (/** @type {Datasource} */ datasource) => [datasource.uid, datasource],
  ),
);

test("generated/ is what the sources generate", () => {
  const committed = new Map(
    readdirSync(GENERATED).map((name) => [name, readFileSync(join(GENERATED, name), "utf8")]),
  );
  const generated = generate();
  const stale = [...new Set([...generated.keys(), ...committed.keys()])].filter(
    (name) => generated.get(name) !== committed.get(name),
  );
  assert.deepEqual(
    stale,
    [],
    "stale files in dashboards/generated; run: node dashboards/src/generate.js",
  );
});

test("generating twice gives the same bytes", () => {
  assert.deepEqual(generate(), generate());
});

for (const [name, json] of generate()) {
  /** @type {Dashboard} */
  const dashboard = JSON.parse(json);
  const rowsAndPanels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
  const panels = rowsAndPanels.filter((panel) => panel.type !== "row");
  const variables = new Map(dashboard.templating.list.map((variable) => [variable.name, variable]));

  describe(name, () => {
    test("ids are unique and positive", () => {
      const ids = rowsAndPanels.map((panel) => panel.id);
      assert.deepEqual(ids, [...new Set(ids)]);
      assert.ok(ids.every((id) => id > 0));
    });

    test("panels lie on the grid and do not overlap", () => {
      const taken = new Map();
      for (const { title, gridPos } of rowsAndPanels) {
        assert.ok(gridPos.x + gridPos.w <= 24, `${title} is wider than the grid`);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            const before = taken.get(`${x},${y}`);
            assert.equal(before, undefined, `${title} lies on ${before}`);
            taken.set(`${x},${y}`, title);
          }
        }
      }
    });

    for (const panel of panels) {
      test(`panel ${panel.id} "${panel.title}" says what it shows`, () => {
        assert.ok(panel.title);
        assert.ok(panel.description);
        const { unit, noValue } = panel.fieldConfig.defaults;
        assert.ok(unit);
        assert.ok(noValue, "without it Grafana says 'No data' where nothing failed");
        if (panel.type === "timeseries") {
          assert.ok(Number.isNaN(Number(noValue)), "Grafana would draw a number into every gap");
        }
      });

      test(`panel ${panel.id} "${panel.title}" asks a known data source`, () => {
        assert.ok(panel.targets?.length);
        for (const { datasource } of [panel, ...panel.targets]) assertKnown(datasource);
        const refIds = panel.targets.map((target) => target.refId);
        assert.deepEqual(refIds, [...new Set(refIds)]);
      });

      for (const { refId, query, datasource } of panel.targets ?? []) {
        test(`query ${refId} of panel ${panel.id} "${panel.title}" parses`, async () => {
          await assertParses(query, [...variables.keys()]);
        });
      }
    }

    for (const variable of variables.values()) {
      test(`variable ${variable.name} parses and asks a known data source`, async () => {
        assertKnown(variable.datasource);
        const others = [...variables.keys()].filter((name) => name !== variable.name);
        await assertParses(variable.query, others);
      });
    }
  });
}

/** @param {{ type: string, uid: string }} reference */
function assertKnown({ type, uid }) {
  assert.equal(
    datasources.get(uid)?.type,
    type,
    `${DATASOURCES} defines no ${type} with uid ${uid}`,
  );
}

/**
 * @param {string} query
 * @param {string[]} variables those that the query may use
 */
async function assertParses(query, variables) {
  for (const value of [".*", "alpha", "(alpha|alpha-beta)"]) {
    const now = Date.now();
    const influxql = interpolate(query, {
      from: new Date(now - 900_000),
      to: new Date(now),
      intervalSeconds: 2,
      variables: Object.fromEntries(variables.map((name) => [name, value])),
    });
    assertTokens(influxql);
    if (INFLUXDB_URL) await assertRuns(influxql);
  }
}

/**
 * Takes a query apart: nothing but InfluxQL's tokens, every parenthesis closed, every regular expression sound.
 * @param {string} influxql
 */
function assertTokens(influxql) {
  const token =
    /\s+|"[^"]+"|'[^']*'|(?<regex>(?<=[=!]~ )\/(?:[^/\\]|\\.)+\/)|\d+(?:\.\d+)?(?:ms|s)?|\w+|[=!]~|[<>]=?|[=,()*/-]|\.\./y;
  let depth = 0;
  while (token.lastIndex < influxql.length) {
    const at = token.lastIndex;
    const match = token.exec(influxql);
    assert.ok(match, `no token of InfluxQL at: ${influxql.slice(at)}`);
    if (match.groups?.regex) assert.doesNotThrow(() => new RegExp(match[0].slice(1, -1)));
    if (match[0] === "(") depth++;
    if (match[0] === ")") depth--;
    assert.ok(depth >= 0, `a ")" too many in: ${influxql}`);
  }
  assert.equal(depth, 0, `a ")" is missing in: ${influxql}`);
}

/** @param {string} influxql */
async function assertRuns(influxql) {
  const url = new URL("/query", INFLUXDB_URL);
  url.search = new URLSearchParams({ q: influxql }).toString();
  const { error, results } = await (await fetch(url)).json();
  assert.equal(error ?? results[0].error, undefined, influxql);
}
