import assert from "node:assert/strict";
import { test } from "node:test";
import { FollowedLoad } from "./followed-load.ts";
import type { Point, Series } from "../platform/influx.ts";

const FROM_MS = 1_795_695_384_000;
/** what k6 has of a second */
interface Second {
  part: string;
  opened?: number;
  failed?: number;
  open?: number;
  messages?: number;
  /** of connections */
  p99?: number;
}

/** Ten connections, two of which fail; five that are held for two seconds. */
const SECONDS: Second[][] = [
  [{ part: "short", opened: 8, messages: 8, p99: 4 }],
  [{ part: "short", opened: 2, failed: 2, messages: 2, p99: 9 }],
  [],
  [{ part: "held", opened: 5, open: 5, p99: 3 }],
  [{ part: "held", messages: 10 }],
  [{ part: "held", messages: 10 }],
  [{ part: "held", open: -5 }],
];
/** Cores that the proxy takes in each, and its memory when no connection is open. */
const CORES = 0.5;
const BYTES = 1_000_000;
const BYTES_PER_CONNECTION = 2000;

const METRICS = {
  connections_opened: "opened",
  connections_failed: "failed",
  connections_open: "open",
  ws_msgs_received: "messages",
} as const;

/**
 * An InfluxDB in which k6 and cAdvisor have written that.
 *
 * @param late index of a second of which there is nothing yet when it has passed
 */
function influxWith(seconds: Second[][], late: number | undefined) {
  const written: Point[] = [];
  const openAfter = (count: number) =>
    seconds
      .slice(0, count)
      .flat()
      .reduce((sum, { open = 0 }) => sum + open, 0);
  // A proxy keeps memory for a while.
  const mostOpenUntil = (count: number) =>
    Math.max(0, ...seconds.slice(0, count).map((_, i) => openAfter(i + 1)));
  const answer = (query: string): Series[] => {
    const at = (operator: string) => {
      const [, ms] = new RegExp(`time ${operator} (\\d+)ms`).exec(query) ?? [];
      return ms === undefined ? undefined : (Number(ms) - FROM_MS) / 1000;
    };
    if (query.includes('"cadvisor"')) {
      const second = at("<") ?? 0;
      const values = {
        cpu_usage_total: second * CORES * 1e9,
        memory_working_set: BYTES + BYTES_PER_CONNECTION * mostOpenUntil(second),
      };
      return Object.entries(values).map(([name, value]) => ({
        ...{ name, tags: { container_name: "p-nginx-1" }, columns: ["time", "last"] },
        values: [[FROM_MS + 1000 * second, value]],
      }));
    }
    const from = Math.max(0, at(">=") ?? 0);
    const to = Math.ceil(at("<") ?? seconds.length);
    const inRange = seconds
      .map((own, i) => (i === late && to === i + 1 ? [] : own))
      .slice(from, to);
    const range = inRange.flat();
    if (query.includes("percentile(")) {
      const p99 = Math.max(...range.flatMap(({ p99 = [] }) => p99));
      const row = [
        0,
        ...[...query.matchAll(/AS "p(\d+)"/g)].map(([, p]) => (p === "99" ? p99 : 1)),
      ];
      const columns = ["time"];
      return p99 > 0 ? [{ name: "handshake_ms", tags: {}, columns, values: [row] }] : [];
    }
    assert.match(query, /GROUP BY time\(1s\), "part" fill\(none\)$/);
    return inRange.flatMap((counted, i) =>
      counted.flatMap(({ part, ...own }) =>
        Object.entries(METRICS).flatMap(([name, key]) => {
          const values = [[FROM_MS + 1000 * (from + i), own[key]]];
          return own[key] ? [{ name, tags: { part }, columns: ["time", "sum"], values }] : [];
        }),
      ),
    );
  };
  return {
    written,
    query: async (query: string) => answer(query),
    write: async (database: string, points: Point[]) => {
      assert.equal(database, "bench");
      written.push(...points);
    },
  };
}

async function followed(seconds = SECONDS, late?: number) {
  const influx = influxWith(seconds, late);
  const load = new FollowedLoad(influx, {
    tags: { run: "r", proxy: "nginx", scenario: "tour", scheme: "ws" },
    ...{ containers: ["p-nginx-1"], load: "tour", version: "nginx:1.30", fromMs: FROM_MS },
  });
  for (const second of seconds.keys()) await load.second(FROM_MS + 1000 * second);
  await load.end(FROM_MS + 1000 * seconds.length, "ended");
  const of = (measurement: string) =>
    influx.written.filter((point) => point.measurement === measurement);
  return { load, of };
}

test("each second of a load is a point: what was opened, is open and came back in it", async () => {
  const { of } = await followed();
  const column = (name: string) => of("live").map(({ fields }) => fields[name]);
  assert.deepEqual(column("connections_per_second"), [8, 2, 0, 5, 0, 0, 0]);
  assert.deepEqual(column("messages_per_second"), [8, 2, 0, 0, 10, 10, 0]);
  assert.deepEqual(column("open"), [0n, 0n, 0n, 5n, 5n, 5n, 0n]);
  assert.deepEqual(column("opened"), [8n, 10n, 10n, 15n, 15n, 15n, 15n]);
  assert.deepEqual(column("handshake_p99_ms"), [4, 9, undefined, 3, ...Array(3).fill(undefined)]);
  assert.deepEqual(column("proxy_cores").slice(1), Array(6).fill(CORES));
});

test("each part has one mark, which says at its end what it came to", async () => {
  const { of } = await followed();
  const marks = new Map(of("parts").map((point) => [point.ms, point.fields]));
  assert.deepEqual(
    [...marks].map(([ms, { title }]) => [(ms - FROM_MS) / 1000, title]),
    [
      [0, "short"],
      [3, "held"],
    ],
  );
  const [short, held] = marks.values();
  assert.equal(short.text, "10 opened, 2 failed; 10 messages; connect p99 9.0 ms; CPU 0.50 cores");
  assert.equal(short.end_ms, BigInt(FROM_MS + 2000));
  assert.equal(held.text, "5 opened, 0 failed; 20 messages; connect p99 3.0 ms; CPU 0.50 cores");
  assert.equal(held.end_ms, BigInt(FROM_MS + 7000));
});

test("at a glance: one point, with what the whole load came to and what a connection cost", async () => {
  const { load, of } = await followed();
  const points = of("glance");
  assert.deepEqual([...new Set(points.map(({ ms }) => ms))], [FROM_MS]);
  assert.deepEqual(points.at(-2)?.fields.state, "running");
  const { fields } = points.at(-1) as Point;
  assert.deepEqual(fields, {
    load: "tour",
    version: "nginx:1.30",
    state: "ended",
    from_ms: BigInt(FROM_MS),
    to_ms: BigInt(FROM_MS + 7000),
    open_most: 5,
    connections_per_second_most: 8,
    messages_per_second_most: 10,
    proxy_cores_most: CORES,
    opened: 15n,
    failed: 2n,
    connect_p50_ms: 1,
    connect_p99_ms: 9,
    // Of the last part that opened some, in the second in which it did.
    cpu_us_per_connection: 500_000 / 5,
    memory_bytes_per_connection: BYTES_PER_CONNECTION,
  });
  assert.deepEqual(
    load.parts.map(({ name, heldSeconds }) => [name, heldSeconds]),
    [
      ["short", 0],
      ["held", 2],
    ],
  );
});

test("parts that lie beside each other for a second are two, and cost what they cost", async () => {
  const { load, of } = await followed([
    [{ part: "short", messages: 1, open: 1 }],
    [
      { part: "short", messages: 1 },
      { part: "next", opened: 2, open: 2 },
    ],
    [{ part: "next", opened: 2, messages: 2 }],
  ]);
  assert.deepEqual(
    load.parts.map(({ name, opened }) => [name, opened]),
    [
      ["short", 0],
      ["next", 2],
    ],
  );
  for (const { fields } of of("glance"))
    for (const value of Object.values(fields))
      assert.ok(typeof value !== "number" || Number.isFinite(value), String(value));
});

test("samples that come late count in their own second", async () => {
  const { load, of } = await followed(SECONDS.toSpliced(5, 0, SECONDS[5], SECONDS[5]), 3);
  const live = Object.values(
    Object.groupBy(of("live"), ({ ms }) => ms) as Record<string, Point[]>,
  ).map((points) => Object.assign({}, ...points.map(({ fields }) => fields)));
  assert.deepEqual(
    live.map((fields) => fields.connections_per_second),
    [8, 2, 0, 5, 0, 0, 0, 0, 0],
  );
  assert.deepEqual(
    live.map(({ open }) => open),
    [0n, 0n, 0n, 0n, 5n, 5n, 5n, 5n, 0n],
  );
  assert.equal(of("glance").at(-1)?.fields.opened, 15n);
  assert.equal(of("glance").at(-1)?.fields.connections_per_second_most, 8);
  const [, { fromMs, opened, bytesPerConnection }] = load.parts;
  assert.deepEqual(
    [(fromMs - FROM_MS) / 1000, opened, bytesPerConnection],
    [3, 5, BYTES_PER_CONNECTION],
  );
});

test("memory per held connection is of a hold, with all of its connections", async () => {
  const { load } = await followed([
    [{ part: "held", opened: 5, open: 5 }],
    [{ part: "held", messages: 10 }],
    [{ part: "held", messages: 10 }],
    [{ part: "held", open: -4 }],
    [{ part: "held", open: -1 }],
    // One after the other, and for a second none.
    [{ part: "short", opened: 4, messages: 4, open: 2 }],
    [{ part: "short", messages: 1 }],
    [{ part: "short", opened: 4, messages: 4, open: -2 }],
  ]);
  assert.deepEqual(
    load.parts.map(({ bytesPerConnection }) => bytesPerConnection),
    [BYTES_PER_CONNECTION, null],
  );
});
