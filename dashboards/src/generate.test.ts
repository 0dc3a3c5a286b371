import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { GENERATED, generate } from "./generate.ts";
import { interpolate } from "./influxql.ts";

const DATASOURCES = fileURLToPath(
  new URL("../../services/grafana/provisioning/datasources/influxdb.yaml", import.meta.url),
);

const GRAFANA = fileURLToPath(new URL("../../services/grafana/compose.yaml", import.meta.url));

/**
 * An InfluxDB to run every query on, such as http://127.0.0.1:8086; without it they are only taken
 * apart.
 */
const { INFLUXDB_URL } = process.env;

type Reference = { type: string; uid: string };

type Target = {
  query: string;
  refId: string;
  resultFormat: string;
  alias?: string;
  datasource: Reference;
};

type Override = { matcher: { id: string; options: string } };

type Panel = {
  id: number;
  type: string;
  title?: string;
  description?: string;
  targets?: Target[];
  transformations?: { options: { rowField?: string; columnField?: string } }[];
  datasource: Reference;
  panels?: Panel[];
  gridPos: { x: number; y: number; w: number; h: number };
  options: { sortBy?: { displayName: string }[] };
  fieldConfig: { defaults: { unit?: string; noValue?: string }; overrides: Override[] };
};

type Variable = { name: string; type: string; query: string; datasource: Reference };

type Annotation = { name: string; target: { query: string }; datasource: Reference };

type Dashboard = {
  uid: string;
  title: string;
  description: string;
  panels: Panel[];
  templating: { list: Variable[] };
  annotations: { list?: Annotation[] };
  links: { type: string; url?: string; tags: string[] }[];
  tags: string[];
};

type Datasource = { uid: string; type: string; jsonData: { dbName: string } };

const datasources: Map<string, Datasource> = new Map(
  parse(readFileSync(DATASOURCES, "utf8")).datasources.map((datasource: Datasource) => [
    datasource.uid,
    datasource,
  ]),
);

const dashboards: Map<string, Dashboard> = new Map(
  [...generate()].map(([name, json]) => [name, JSON.parse(json)]),
);

/** What Grafana 9.4 and the pinned version both draw, and an export without Grafana does. */
const PANEL_TYPES = ["bargauge", "stat", "table", "timeseries"];

/** Grafana's own data source for panels whose queries ask several. */
const MIXED = "-- Mixed --";

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
    "stale files in dashboards/generated; run: node dashboards/src/generate.ts",
  );
});

test("generating twice gives the same bytes", () => {
  assert.deepEqual(generate(), generate());
});

test("every dashboard has an address, a title and a description of its own", () => {
  for (const key of ["uid", "title", "description"] as const) {
    const values = [...dashboards.values()].map((dashboard) => dashboard[key]);
    assert.ok(values.every(Boolean), key);
    assert.deepEqual(values, [...new Set(values)]);
  }
});

test("the first page that Grafana shows is one of them", () => {
  const { environment } = parse(readFileSync(GRAFANA, "utf8")).services.grafana;
  const home = environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
  assert.ok(dashboards.has(basename(home)), `${GRAFANA}: ${home}`);
});

for (const [name, dashboard] of dashboards) {
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

    test("links and switches are in sight, not in a menu", () => {
      for (const control of [...dashboard.links, ...(dashboard.annotations.list ?? [])]) {
        assert.ok(!("placement" in control), JSON.stringify(control));
      }
    });

    test("links lead to dashboards that are there", () => {
      for (const { type, url = "", tags } of dashboard.links) {
        if (type === "dashboards") {
          assert.ok(
            [...dashboards.values()].every((each) => tags.every((tag) => each.tags.includes(tag))),
          );
        } else {
          const [, uid] = /^\/d\/([^?]+)\?/.exec(url) ?? [];
          assert.ok(dashboards.has(`${uid}.json`), url);
        }
      }
    });

    for (const panel of panels) {
      test(`panel ${panel.id} "${panel.title}" is of a kind that is known everywhere`, () => {
        assert.ok(PANEL_TYPES.includes(panel.type), panel.type);
      });

      test(`panel ${panel.id} "${panel.title}" names columns and tags that its queries give`, () => {
        const targets = panel.targets ?? [];
        const columns = [
          ...targets.flatMap(({ query }) => columnsOf(query)),
          ...(panel.transformations ?? []).flatMap(({ options: { rowField, columnField } }) =>
            rowField ? [`${rowField}\\${columnField}`] : [],
          ),
        ];
        for (const { alias = "", query, resultFormat } of targets) {
          assert.equal(resultFormat, alias ? "time_series" : "table");
          assert.ok(!alias || panel.type !== "table");
          for (const [, tag] of alias.matchAll(/\$tag_(\w+)/g)) {
            assert.match(query.slice(query.lastIndexOf("GROUP BY")), new RegExp(`"${tag}"`));
          }
        }
        const { sortBy = [] } = panel.options;
        const named = [
          ...sortBy.map(({ displayName }) => displayName),
          ...(panel.type === "table" ? panel.fieldConfig.overrides : [])
            .filter(({ matcher }) => matcher.id === "byName")
            .map(({ matcher }) => matcher.options),
        ];
        for (const column of named) assert.ok(columns.includes(column), `no column ${column}`);
      });

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
        for (const { datasource } of panel.targets) assertKnown(datasource);
        const asked = [...new Set(panel.targets.map(({ datasource }) => datasource.uid))];
        assert.equal(panel.datasource.uid, asked.length === 1 ? asked[0] : MIXED);
        const refIds = panel.targets.map((target) => target.refId);
        assert.deepEqual(refIds, [...new Set(refIds)]);
      });

      for (const { refId, query } of panel.targets ?? []) {
        test(`query ${refId} of panel ${panel.id} "${panel.title}" parses`, async () => {
          await assertParses(query, [...variables.keys()]);
        });
      }
    }

    for (const variable of variables.values()) {
      test(`variable ${variable.name} parses, asks a known data source and rests on those before it`, async () => {
        assertKnown(variable.datasource);
        const names = [...variables.keys()];
        await assertParses(variable.query, names.slice(0, names.indexOf(variable.name)));
      });

      test(`variable ${variable.name} is used`, () => {
        const queries = [...variables.values(), ...panels.flatMap(({ targets = [] }) => targets)];
        assert.ok(queries.some(({ query }) => query.includes(`\${${variable.name}:regex}`)));
      });
    }

    for (const annotation of dashboard.annotations.list ?? []) {
      test(`annotation ${annotation.name} parses and asks a known data source`, async () => {
        assertKnown(annotation.datasource);
        await assertParses(annotation.target.query, [...variables.keys()]);
      });
    }
  });
}

/** @returns names of its columns */
function columnsOf(query: string): string[] {
  return [...query.matchAll(/ AS "([^"]+)"/g)].map(([, column]) => column);
}

function assertKnown({ type, uid }: Reference) {
  assert.equal(
    datasources.get(uid)?.type,
    type,
    `${DATASOURCES} defines no ${type} with uid ${uid}`,
  );
}

/** @param variables those that the query may use */
async function assertParses(query: string, variables: string[]) {
  for (const value of [".*", "alpha", "(alpha|alpha-beta)", ""]) {
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
 * Takes a query apart: nothing but InfluxQL's tokens, every parenthesis closed, every regular
 * expression sound.
 */
function assertTokens(influxql: string) {
  const token =
    /\s+|"[^"]+"|'[^']*'|(?<regex>(?<=[=!]~ )\/(?:[^/\\]|\\.)+\/)|\d+(?:\.\d+)?(?:ms|s)?|\w+|!=|[=!]~|[<>]=?|[=,()*/-]|\.\./y;
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

async function assertRuns(influxql: string) {
  const url = new URL("/query", INFLUXDB_URL);
  url.search = new URLSearchParams({ q: influxql }).toString();
  const { error, results } = await (await fetch(url)).json();
  assert.equal(error ?? results[0].error, undefined, influxql);
}
