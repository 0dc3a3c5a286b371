import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { Influx, lineOf } from "./influx.ts";
import type { Point } from "./influx.ts";
import type { TestContext } from "node:test";
import type { AddressInfo } from "node:net";

const AT = { ms: 1465839830100 };
const WARM = { temperature: 82 };

// The examples of the section "Special characters" of
// https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/, their times in
// ms.
test("special characters are escaped as InfluxData's reference shows", () => {
  const examples: [Point, string][] = [
    [
      { measurement: "weather", tags: { location: "us,midwest" }, fields: WARM, ...AT },
      String.raw`weather,location=us\,midwest temperature=82 1465839830100`,
    ],
    [
      {
        measurement: "weather",
        tags: { location: "us-midwest" },
        fields: { "temp=rature": 82 },
        ...AT,
      },
      String.raw`weather,location=us-midwest temp\=rature=82 1465839830100`,
    ],
    [
      { measurement: "weather", tags: { "location place": "us-midwest" }, fields: WARM, ...AT },
      String.raw`weather,location\ place=us-midwest temperature=82 1465839830100`,
    ],
    [
      { measurement: "wea,ther", tags: { location: "us-midwest" }, fields: WARM, ...AT },
      String.raw`wea\,ther,location=us-midwest temperature=82 1465839830100`,
    ],
    [
      { measurement: "wea ther", tags: { location: "us-midwest" }, fields: WARM, ...AT },
      String.raw`wea\ ther,location=us-midwest temperature=82 1465839830100`,
    ],
    [
      {
        measurement: "weather",
        tags: { location: "us-midwest" },
        fields: { temperature: 'too"hot"' },
        ...AT,
      },
      String.raw`weather,location=us-midwest temperature="too\"hot\"" 1465839830100`,
    ],
    [
      {
        measurement: "weather",
        tags: { location: "us-midwest" },
        fields: { temperature_str: String.raw`too hot\cold` },
        ...AT,
      },
      String.raw`weather,location=us-midwest temperature_str="too hot\\cold" 1465839830100`,
    ],
    [
      {
        measurement: "we⛅️ther",
        tags: { location: "us-midwest" },
        fields: { "temper🔥ture": 82 },
        ...AT,
      },
      "we⛅️ther,location=us-midwest temper🔥ture=82 1465839830100",
    ],
  ];
  for (const [point, line] of examples) assert.equal(lineOf(point), line);
});

test("an equals sign is escaped everywhere but in a measurement", () => {
  assert.equal(
    lineOf({ measurement: "a=b", tags: { "c=d": "e=f" }, fields: { g: 1 }, ms: 1 }),
    String.raw`a=b,c\=d=e\=f g=1 1`,
  );
});

test("types: number is a float, bigint an integer; time is rounded; tags are sorted, without empty ones", () => {
  const fields = {
    f: 1.5,
    whole: 2,
    small: 1e-7,
    i: 3n,
    yes: true,
    no: false,
    text: "",
    lines: "a\nb",
  };
  assert.equal(
    lineOf({ measurement: "m", tags: { b: "2", a: "1", none: "" }, fields, ms: 1.6 }),
    'm,a=1,b=2 f=1.5,whole=2,small=1e-7,i=3i,yes=true,no=false,text="",lines="a\nb" 2',
  );
});

test("what line protocol cannot hold is refused", () => {
  const point = { measurement: "m", fields: { f: 1 }, ms: 1 };
  for (const [wrong, message] of [
    [{ fields: {} }, /a point of m has no field/],
    [{ fields: { f: NaN } }, /cannot hold the number NaN/],
    [{ ms: Infinity }, /has the time Infinity/],
    [{ measurement: "" }, /cannot hold .* ""/],
    [{ measurement: "#m" }, /"#m"/],
    [{ measurement: "m\\ n" }, /"m.. n"/],
    [{ tags: { a: "b\nc" } }, /"b.nc"/],
    [{ tags: { a: "b\\" } }, /"b.."/],
    [{ fields: { "f\\,": 1 } }, /"f..,"/],
  ] as const) {
    assert.throws(() => lineOf({ ...point, ...wrong }), { message });
  }
});

/** @param answer undefined: none */
async function influxWith(
  t: TestContext,
  answer: (
    url: URL,
    body: string,
  ) => { status?: number; json?: unknown; text?: string } | undefined,
) {
  const requests: { path: string; connection: string | undefined; method: string | undefined }[] =
    [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? "", "http://influxdb");
    requests.push({
      path: url.pathname,
      connection: request.headers.connection,
      method: request.method,
    });
    const { status = 200, json, text } = answer(url, body) ?? {};
    if (json !== undefined) response.writeHead(status).end(JSON.stringify(json));
    else if (text !== undefined) response.writeHead(status).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { influx: new Influx(`http://127.0.0.1:${port}`, { timeoutMs: 2000 }), requests };
}

test("a query brings the series of all its statements, and keeps no connection", async (t) => {
  let asked: URLSearchParams | undefined;
  const { influx, requests } = await influxWith(t, (_, body) => {
    asked = new URLSearchParams(body);
    return {
      json: {
        results: [
          {
            statement_id: 0,
            series: [
              { name: "cpu", tags: { c: "x" }, columns: ["time", "value"], values: [[1, 2]] },
            ],
          },
          { statement_id: 1 },
          {
            statement_id: 2,
            series: [{ name: "mem", columns: ["time", "value"], values: [[3, 4]] }],
          },
        ],
      },
    };
  });
  assert.deepEqual(await influx.query("SELECT a+b FROM c", { database: "d b" }), [
    { name: "cpu", tags: { c: "x" }, columns: ["time", "value"], values: [[1, 2]] },
    { name: "mem", tags: {}, columns: ["time", "value"], values: [[3, 4]] },
  ]);
  assert.deepEqual(Object.fromEntries(asked ?? []), {
    q: "SELECT a+b FROM c",
    db: "d b",
    epoch: "ms",
  });
  assert.deepEqual(requests, [{ path: "/query", connection: "close", method: "POST" }]);
});

test("databases: their names; none of a server that has none", async (t) => {
  const series = [{ name: "databases", columns: ["name"], values: [["cadvisor"], ["k6"]] }];
  const some = await influxWith(t, () => ({ json: { results: [{ series }] } }));
  assert.deepEqual(await some.influx.databases(), ["cadvisor", "k6"]);
  const none = await influxWith(t, () => ({
    json: { results: [{ series: [{ name: "databases", columns: ["name"] }] }] },
  }));
  assert.deepEqual(await none.influx.databases(), []);
});

test("a refused query is an error with the query in it", async (t) => {
  const answers = [
    { status: 400, json: { error: "error parsing query" } },
    { json: { results: [{}, { error: "database not found: x" }] } },
    { status: 502, text: "<html>bad gateway" },
  ];
  const { influx } = await influxWith(t, () => answers.shift());
  for (const why of [
    "error parsing query",
    "database not found: x",
    "status 502: <html>bad gateway",
  ]) {
    await assert.rejects(influx.query("SELECT wrong"), {
      message: `InfluxDB refuses a query: ${why}; the query: SELECT wrong`,
    });
  }
});

test("no answer in time, or nobody there, is an error for the user, with the query in it", async (t) => {
  const { influx } = await influxWith(t, () => undefined);
  await assert.rejects(influx.query("SHOW DATABASES"), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /no answer within 2 s; asked: SHOW DATABASES/);
    return true;
  });
  await assert.rejects(new Influx("http://127.0.0.1:1").query("SHOW DATABASES"), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(
      error.message,
      /127\.0\.0\.1:1: .*(ECONNREFUSED|bad port).*; asked: SHOW DATABASES/,
    );
    return true;
  });
});

test("points are written in ms, many at once; none is no request; a refusal names database and first point", async (t) => {
  const written: string[] = [];
  const { influx, requests } = await influxWith(t, (url, body) => {
    written.push(`${url.search} ${body}`);
    if (url.searchParams.get("db") === "k6") return { status: 204, text: "" };
    return { status: 404, json: { error: 'database not found: "x"' } };
  });
  const points = [1, 2].map((ms) => ({ measurement: "m", fields: { f: ms }, ms }));
  await influx.write("k6", points);
  await influx.write("k6", []);
  assert.deepEqual(written, ["?db=k6&precision=ms m f=1 1\nm f=2 2"]);
  assert.equal(requests[0].connection, "close");
  await assert.rejects(influx.write("x", points), {
    message: 'InfluxDB refuses 2 points for x: database not found: "x"; the first: m f=1 1',
  });
});

test("a database is made, points of some tags are removed, whatever is in their names", async (t) => {
  const asked: string[] = [];
  const { influx } = await influxWith(t, (_, body) => {
    const form = new URLSearchParams(body);
    asked.push(`${form.get("db")}: ${form.get("q")}`);
    return { json: { results: [{}] } };
  });
  await influx.createDatabase("bench");
  await influx.remove("bench", "cells", { run: "it's", base: "a\\b" });
  assert.deepEqual(asked, [
    ': CREATE DATABASE "bench"',
    String.raw`bench: DELETE FROM "cells" WHERE "run" = 'it\'s' AND "base" = 'a\\b'`,
  ]);
});

test("how long a database keeps its points is what its default policy says; 0s is for ever", async (t) => {
  const columns = ["name", "duration", "shardGroupDuration", "replicaN", "default"];
  const answers = [
    [["month", "720h0m0s", "24h0m0s", 1, true]],
    [
      ["autogen", "0s", "168h0m0s", 1, true],
      ["short", "1h0m0s", "1h0m0s", 1, false],
    ],
  ];
  const { influx } = await influxWith(t, () => ({
    json: { results: [{ series: [{ columns, values: answers.shift() }] }] },
  }));
  assert.equal(await influx.keptMs("cadvisor"), 30 * 86_400_000);
  assert.equal(await influx.keptMs("bench"), Infinity);
});
