import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Point } from "../platform/influx.ts";
import type { RunEvent } from "../model/run-event.ts";
import { measuresOf } from "../analyse/measures.ts";
import { cellRecord, plannedCell, workloadFor } from "../analyse/testing/results.ts";
import { UserError } from "../errors.ts";
import { Publisher } from "./publisher.ts";

const SAMPLE = {
  ms: 5000,
  opened: 10,
  failed: 0,
  connections_per_second: 10,
  messages_per_second: 20,
  proxy_cores: 0.5,
  proxy_throttled_seconds: 0,
};

function publisherWith(t: TestContext, write: (points: Point[]) => Promise<void> = async () => {}) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const folder = mkdtempSync(join(tmpdir(), "publisher-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const written: Point[][] = [];
  const notes: string[] = [];
  const publisher = new Publisher({
    influx: {
      async write(database, points) {
        assert.equal(database, "bench");
        written.push(points);
        await write(points);
      },
    },
    run: "a-run",
    cellPath: () => folder,
    judge: (record) => ({
      record,
      setting: "",
      workload: workloadFor(record),
      measures: measuresOf(record, workloadFor(record)),
      flags: [],
      counted: true,
    }),
    tell: ({ code }) => code,
    versionOf: () => "nginx 1.30.6",
    note: (text) => notes.push(text),
  });
  const second = async () => {
    t.mock.timers.tick(1000);
    // What a write leaves to do afterwards.
    for (let i = 0; i < 10; i++) await null;
  };
  const begin = (changes = {}) => {
    const cell = plannedCell(changes);
    publisher.listen({ type: "cell", cell, number: 1, of: 2, attempt: 1 });
  };
  const measurements = () => written.map((points) => points.map(({ measurement }) => measurement));
  return { publisher, folder, written, notes, second, begin, measurements };
}

const LIVE: RunEvent = { type: "live", sample: SAMPLE };

test("what happens is written as it happens, one request per second, none when nothing did", async (t) => {
  const { publisher, second, begin, measurements, written } = publisherWith(t);
  begin();
  publisher.listen({ type: "phase", phase: "start" });
  publisher.listen({ type: "phase", phase: "measure" });
  publisher.listen(LIVE);
  assert.equal(written.length, 0, "nothing at once");
  await second();
  await second();
  publisher.listen({ type: "note", text: "x" });
  publisher.listen(LIVE);
  publisher.listen({ type: "event", event: "reload", what: "HUP to the proxy", ms: 1e12 });
  await second();
  assert.deepEqual(measurements(), [
    ["phases", "phases", "glance", "live", "glance"],
    ["live", "glance", "events"],
  ]);
  assert.equal(written[0][1].tags?.phase, "measure");
});

test("at the end of a cell come its figures and its curves", async (t) => {
  const { publisher, folder, begin, measurements } = publisherWith(t);
  begin();
  writeFileSync(
    join(folder, "samples.csv"),
    "ms,service,cpu_seconds,working_set_bytes\n0,nginx,1,5\n250,nginx,2,6\n",
  );
  publisher.listen({
    type: "cell-end",
    record: cellRecord(),
    repeat: null,
    remainingSeconds: 0,
  });
  await publisher.close();
  assert.deepEqual(measurements(), [["cells", "aligned", "aligned"]]);
});

test("at a glance: one point per cell, the most so far while it runs, at its end the report's figures", async (t) => {
  const { publisher, begin, written } = publisherWith(t);
  begin();
  publisher.listen({ type: "phase", phase: "measure" });
  publisher.listen(LIVE);
  publisher.listen({ type: "live", sample: { ...SAMPLE, ms: 6000, connections_per_second: 4 } });
  const record = cellRecord();
  publisher.listen({ type: "cell-end", record, repeat: null, remainingSeconds: 0 });
  await publisher.close();
  const points = written.flat().filter(({ measurement }) => measurement === "glance");
  assert.equal(new Set(points.map(({ ms }) => ms)).size, 1, "each replaces the one before");
  const [first] = points;
  const [running, ended] = points.slice(-2);
  assert.deepEqual(
    [first, running, ended].map(({ fields }) => fields.state),
    [...["running", "running", "ended"]],
  );
  assert.equal(running.fields.connections_per_second_most, 10);
  assert.equal(running.fields.opened, 10n);
  assert.equal(ended.fields.version, "nginx 1.30.6");
  assert.equal(ended.fields.opened, BigInt(Number(record.connections?.opened)));
  assert.equal(ended.fields.connect_p99_ms, record.handshakeMs?.p99);
  assert.equal(
    ended.fields.cpu_us_per_connection,
    measuresOf(record, workloadFor(record)).cpu_us_per_connection,
  );
});

test("beside a cell without observers nothing is written", async (t) => {
  const { publisher, begin, written } = publisherWith(t);
  begin({ observed: false });
  publisher.listen({ type: "phase", phase: "measure" });
  publisher.listen(LIVE);
  await publisher.close();
  assert.deepEqual(written, []);
});

test("what waits when a cell without observers begins is left to the run's end: InfluxDB is down", async (t) => {
  const { publisher, begin, written } = publisherWith(t);
  begin();
  publisher.listen(LIVE);
  begin({ observed: false });
  await publisher.close();
  assert.deepEqual(written, []);
});

test("one write at a time: what comes meanwhile waits for the next", async (t) => {
  const answers: (() => void)[] = [];
  const { publisher, second, begin, written } = publisherWith(
    t,
    () => new Promise((resolve) => answers.push(() => resolve())),
  );
  begin();
  publisher.listen(LIVE);
  await second();
  publisher.listen(LIVE);
  publisher.listen(LIVE);
  await second();
  assert.equal(written.length, 1);
  answers[0]();
  await second();
  await second();
  assert.equal(written.length, 2);
  assert.equal(written[1].length, 2);
});

test("without an answer points are kept and tried again, and a person is warned once", async (t) => {
  let isDown = true;
  const { publisher, second, begin, notes, written } = publisherWith(t, async () => {
    if (isDown) throw new UserError("InfluxDB at http://influxdb:8086: no answer");
  });
  begin();
  publisher.listen(LIVE);
  for (let i = 0; i < 9; i++) await second();
  assert.deepEqual(notes, [], "it may be back in a moment");
  for (let i = 0; i < 20; i++) await second();
  assert.equal(notes.length, 1);
  assert.match(notes[0], /the record is complete: InfluxDB at .*: no answer/);
  isDown = false;
  await publisher.close();
  assert.deepEqual(
    written.at(-1)?.map(({ measurement }) => measurement),
    ["live"],
  );
});

test("for ever without an answer it keeps the newest points, and no more of them than its limit", async (t) => {
  const { publisher, second, begin, written } = publisherWith(t, async () => {
    throw new UserError("no answer");
  });
  begin();
  for (let i = 0; i < 6000; i++) {
    publisher.listen({ ...LIVE, sample: { ...SAMPLE, ms: i } });
    if (i % 1000 === 0) await second();
  }
  await second();
  assert.equal(written.at(-1)?.length, 5000);
  assert.equal(written.at(-1)?.at(-1)?.ms, 5999);
});

test("what is refused is not tried again, and told", async (t) => {
  const { publisher, second, begin, notes, written } = publisherWith(t, async () => {
    throw new Error("InfluxDB refuses 1 points for bench: partial write");
  });
  begin();
  publisher.listen(LIVE);
  await second();
  await second();
  publisher.listen(LIVE);
  await second();
  assert.equal(written.length, 2);
  assert.equal(notes.length, 1);
});

test("an event that it cannot make points of is a note, and no failure of the cell", async (t) => {
  const { publisher, begin, notes } = publisherWith(t);
  begin();
  const record = { ...cellRecord(), startedAt: "never", measured: null };
  record.connections = { failedByCause: { timeout: 1.5 } } as never;
  const event = { type: "cell-end" as const, record, repeat: null };
  publisher.listen({ ...event, remainingSeconds: 0 });
  publisher.listen({ ...event, remainingSeconds: 0 });
  assert.equal(notes.length, 1);
  await publisher.close();
});
