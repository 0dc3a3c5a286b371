/**
 * What `docker compose up` plays, small: its three parts, each marked and summed up; and that
 * `Proxies live` says of it what the load generator's own summary says.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { interpolate } from "../../../../dashboards/src/influxql.ts";
import { influx, joinProject, lab, loadSummary, projectDirectory, waitForLoad } from "../lab.ts";
import type { Project } from "../../src/platform/compose.ts";
import type { Series } from "../../src/platform/influx.ts";

const ARRIVALS = { perSecond: 20, seconds: 5 };
const HELD = { count: 100, messagesPerSecond: 100, seconds: 8 };
const SHORT = 200;
/** The dashboards look for containers of this project. */
const USUAL_PROJECT = "ws-proxy-bench";

test("three parts, each marked, and every figure of Proxies live as the load generator's", async (t) => {
  assert.match(readFileSync(join(projectDirectory, ".env"), "utf8"), /^SCENARIO=tour$/m);
  const from = new Date();
  const project = lab(t, {
    profile: "haproxy",
    env: {
      SCENARIO: "tour",
      CONNECTIONS_PER_SECOND: String(ARRIVALS.perSecond),
      ARRIVE_SECONDS: String(ARRIVALS.seconds),
      HELD: String(HELD.count),
      MESSAGES_PER_SECOND: String(HELD.messagesPerSecond),
      HOLD_SECONDS: String(HELD.seconds),
      CONNECTIONS: String(SHORT),
      CONCURRENCY: "10",
      MESSAGE_BYTES: "100",
      LATENCY_SAMPLES: "1000",
    },
  });
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0);
  const summary = await loadSummary(project);
  assert.equal(await waitForLoad(project, "watch"), 0);
  await joinProject(t, project.name);

  const dashboard = JSON.parse(
    readFileSync(join(projectDirectory, "dashboards/generated/proxies-live.json"), "utf8"),
  );
  const panels: any[] = dashboard.panels.flatMap((panel: any) => [panel, ...(panel.panels ?? [])]);
  const context = { from, to: new Date(), intervalSeconds: 1, variables: { proxy: ".*" } };
  const ask = (query: string): Promise<Series[]> =>
    influx(interpolate(query, context).replaceAll(USUAL_PROJECT, project.name));
  /** @returns of its first series, without the times at which it has no value */
  const columnOf = async (id: number, target: number, column = 1): Promise<number[]> => {
    const { targets } = panels.find((panel) => panel.id === id);
    const [first] = await ask(targets[target].query);
    return first.values.map((row) => row[column]).filter((value) => value !== null);
  };
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

  await t.test("the summary has a row for each part", async () => {
    const [arriving, held, short] = summary.parts;
    assert.equal(arriving.opened, ARRIVALS.perSecond * ARRIVALS.seconds);
    assert.equal(arriving.messagesEchoed, arriving.opened);
    assert.equal(held.opened, HELD.count);
    assert.equal(short.opened, SHORT);
    assert.equal(short.messagesEchoed, SHORT);
    assert.equal(summary.connections.failed, 0);
    const log = await linesOf(project, "load");
    for (const { part, opened } of summary.parts)
      assert.ok(log.some((line) => new RegExp(`^ {2}${part} +${opened} +0 `).test(line)));
  });

  await t.test(
    "held: messages per second are the rate in each second, from the first",
    async () => {
      const [held] = summary.parts.filter(({ part }: any) => /held/.test(part));
      const rates = (
        await ask(
          `SELECT "messages_per_second", "open", "connections_per_second" FROM "bench".."live"`,
        )
      )[0].values.filter(([, , open, opened]) => open === HELD.count && opened === 0);
      // The first and the last second are cut by the part's beginning and end.
      const inner = rates.slice(1, -1).map(([, messages]) => messages);
      assert.ok(inner.length >= HELD.seconds - 3, `${inner.length} seconds`);
      // What the generator itself could not send when it was due may be in another second, or in none.
      const due = HELD.messagesPerSecond * HELD.seconds;
      const missing = due - held.messagesEchoed;
      const lateMs = held.echoLatencyMs["p(99)"];
      const allowed =
        0.05 * HELD.messagesPerSecond + missing + (HELD.messagesPerSecond * lateMs) / 1000;
      for (const messages of inner)
        assert.ok(
          Math.abs(messages - HELD.messagesPerSecond) <= allowed,
          `${messages} in a second, ${HELD.messagesPerSecond} due, ${allowed} off allowed`,
        );
    },
  );

  await t.test("the parts are marked, with what they came to", async () => {
    const { target } = dashboard.annotations.list.find(({ name }: any) => name === "Parts");
    const [{ columns, values }] = await ask(target.query);
    const marks = values.map((row) =>
      Object.fromEntries(columns.map((column, i) => [column, row[i]])),
    );
    assert.deepEqual(
      marks.map(({ title, text }) => [title, text.split(";").slice(0, 2)]),
      summary.parts.map(({ part, opened, messagesEchoed }: any) => [
        part,
        [`${opened} opened, 0 failed`, ` ${messagesEchoed} messages`],
      ]),
    );
    for (const [i, { time, end_ms }] of marks.entries()) {
      assert.ok(end_ms > time);
      if (i > 0) assert.ok(time >= marks[i - 1].end_ms);
    }
  });

  await t.test("curves add up to what was opened and echoed", async () => {
    assert.equal(sum(await columnOf(201, 0)), summary.connections.opened);
    assert.equal(sum(await columnOf(206, 0)), summary.messagesEchoed);
    const open = await columnOf(205, 0);
    assert.equal(Math.max(...open), HELD.count);
    assert.equal(open.at(-1), 0);
  });

  await t.test("figures are those of the load, whenever one looks", async () => {
    const later = { ...context, from: new Date(Date.now() + 540_000) };
    later.to = new Date(Date.now() + 600_000);
    const figure = async (id: number, target: number) => {
      const { targets } = panels.find((panel) => panel.id === id);
      const [first] = await influx(interpolate(targets[target].query, later));
      return first.values[0][1];
    };
    assert.equal(await figure(112, 1), HELD.count, "connections open");
    assert.equal(await figure(106, 0), 0, "failed");
    assert.equal(await figure(103, 1), Math.max(...(await columnOf(201, 0))), "new connections");
    assert.equal(await figure(113, 1), Math.max(...(await columnOf(206, 0))), "messages");
    assert.ok((await figure(101, 1)) > 0, "CPU per connection");
    assert.notEqual(await figure(102, 1), undefined, "memory per held connection");
    // InfluxDB takes the nearest of the samples, k6 a point between two.
    const [{ values }] = await influx('SELECT "value" FROM "k6".."handshake_ms"');
    const sorted = values.map(([, ms]) => ms).sort((a, b) => a - b);
    assert.equal(sorted.length, summary.handshakeMs.count);
    const place = Math.floor(0.99 * (sorted.length - 1));
    const p99 = await figure(104, 1);
    assert.ok(p99 >= sorted[place] && p99 <= sorted[place + 1], `${p99}`);
    assert.ok(
      summary.handshakeMs["p(99)"] >= sorted[place] &&
        summary.handshakeMs["p(99)"] <= sorted[place + 1],
    );
    const { targets } = panels.find((panel) => panel.id === 111);
    const [{ columns, values: rows }] = await influx(interpolate(targets[0].query, later));
    const header = Object.fromEntries(columns.map((column, i) => [column, rows[0][i]]));
    assert.deepEqual(
      [header.State, header.Proxy, header.Scheme, header.Opened],
      ["ended", "haproxy", "ws", summary.connections.opened],
    );
    assert.match(header.Version, /haproxy:/);
    assert.match(header.Load, /^tour: /);
  });

  await t.test("the last lines say what it cost, where Grafana is and how to go on", async () => {
    const lines = await linesOf(project, "watch");
    assert.match(lines[0], /^Grafana shows it: /);
    assert.match(lines[1], /^haproxy, new connections: .*µs of CPU per connection/);
    assert.match(lines[2], /^haproxy, held with messages: .*kB of memory per held connection/);
    assert.match(lines[4], /^Grafana keeps it: /);
    assert.match(lines[5], /SCENARIO=steady docker compose --profile haproxy up/);
    assert.match(lines[6], /\.\/bench run/);
  });
});

/** @returns what a service has said, without what Compose adds for terminals */
async function linesOf(project: Project, service: string): Promise<string[]> {
  const log = await project.check(["logs", "--no-log-prefix", service]);
  return log.replaceAll("\x1B[2K", "").trim().split("\n");
}
