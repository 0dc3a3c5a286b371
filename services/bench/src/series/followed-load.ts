/**
 * A load of `docker compose up`, followed from second to second in what k6 and cAdvisor write to
 * InfluxDB: the same points that a battle's cells have, and a mark for each part of the load.
 */
import { Glance } from "./glance.ts";
import { liveFields } from "./points.ts";
import { DATABASE } from "./publisher.ts";
import type { LiveSample } from "../model/run-event.ts";
import type { Influx, Point, Series } from "../platform/influx.ts";
import type { Totals } from "./glance.ts";

/** cAdvisor takes a sample each 0.8 s: a container's last one is no older. */
const SAMPLE_MS = 2000;
const NS_PER_US = 1000;
const NS_PER_MS = 1e6;

/** One of the loads that a scenario plays one after the other; empty: it plays one. */
export interface Part {
  name: string;
  fromMs: number;
  toMs: number;
  opened: number;
  failed: number;
  messages: number;
  /** seconds in which connections were open and none was opened */
  heldSeconds: number;
  /** mean of the proxy, in cores; null: cAdvisor has not told */
  cores: number | null;
  /** CPU time of the proxy; null: nothing was opened */
  usPerConnection: number | null;
  /** that each held connection added to the proxy's working set; null: none was held */
  bytesPerConnection: number | null;
}

/** what the proxy's containers have together; `ms` is the time of the newest sample */
type Usage = { ms: number; cpuNs: number; bytes: number };

export class FollowedLoad {
  #influx: Pick<Influx, "query" | "write">;
  #tags: Record<string, string>;
  #containers: string;
  #glance: Glance;
  #opened = 0;
  #failed = 0;
  #open = 0;
  #before: Usage | null = null;
  /** At the beginning of the part. */
  #first: Usage | null = null;
  #part: Part | undefined;
  /** Those that have ended, in the order of time. */
  parts: Part[] = [];

  /**
   * @param options tags: run, proxy, scenario, scheme; containers: names of the proxy's; load and
   *   version: in words; fromMs: since 1970, its start
   */
  constructor(
    influx: Pick<Influx, "query" | "write">,
    {
      tags,
      containers,
      load,
      version,
      fromMs,
    }: {
      tags: { run: string; proxy: string; scenario: string; scheme: string };
      containers: string[];
      load: string;
      version: string;
      fromMs: number;
    },
  ) {
    this.#influx = influx;
    this.#tags = { ...tags, setting: `${tags.scenario} ${tags.scheme}` };
    this.#containers = containers.map((name) => name.replace(/[.]/g, "\\.")).join("|");
    this.#glance = new Glance(this.#tags, fromMs, { load, version });
  }

  /** @param fromMs since 1970: of a second of which all samples are there; the one after the last */
  async second(fromMs: number) {
    const toMs = fromMs + 1000;
    const [sums, percentiles, usage] = await Promise.all([
      this.#sums(fromMs, toMs),
      this.#percentiles("50, 95, 99", fromMs, toMs),
      this.#usage(toMs),
    ]);
    const active = sums
      .filter(({ opened, messages }) => opened + messages > 0)
      .map(({ part }) => part);
    const points: Point[] = [];
    // On a slow machine the end of one may lie beside the beginning of the next.
    if (active.length > 0 && !(this.#part && active.includes(this.#part.name))) {
      points.push(...(await this.#endPart()));
      this.#begin(active[0], fromMs);
    }
    const total = (key: "opened" | "failed" | "open" | "messages") =>
      sums.reduce((sum, one) => sum + one[key], 0);
    const opened = total("opened");
    this.#opened += opened;
    this.#failed += total("failed");
    this.#open += total("open");
    const sample: Partial<LiveSample> & { ms: number } = {
      ms: toMs,
      opened: this.#opened,
      failed: this.#failed,
      open: this.#open,
      connections_per_second: opened,
      messages_per_second: total("messages"),
      ...named("handshake", percentiles.get("handshake_ms")),
      ...named("echo", percentiles.get("echo_latency_ms")),
    };
    if (usage && this.#before && usage.ms > this.#before.ms)
      sample.proxy_cores =
        (usage.cpuNs - this.#before.cpuNs) / NS_PER_MS / (usage.ms - this.#before.ms);
    if (usage && this.#part) this.#addTo(this.#part, { toMs, opened, usage, sums });
    this.#before = usage ?? this.#before;
    this.#glance.add(sample, this.#costs());
    points.push(
      { measurement: "live", tags: this.#tags, fields: liveFields(sample), ms: toMs },
      this.#glance.point,
    );
    if (this.#part) points.push(this.#mark(this.#part));
    await this.#influx.write(DATABASE, points);
  }

  /**
   * After its last second.
   *
   * @param state in a word, such as `ended`
   */
  async end(ms: number, state: string) {
    const points = await this.#endPart();
    const [p50, p99] = (await this.#percentiles("50, 99")).get("handshake_ms") ?? [];
    this.#glance.end(ms, state, { connect_p50_ms: p50, connect_p99_ms: p99, ...this.#costs() });
    await this.#influx.write(DATABASE, [...points, this.#glance.point]);
  }

  #begin(name: string, fromMs: number) {
    this.#first = this.#before;
    this.#part = {
      ...{ name, fromMs, toMs: fromMs, opened: 0, failed: 0, messages: 0, heldSeconds: 0 },
      ...{ cores: null, usPerConnection: null, bytesPerConnection: null },
    };
  }

  #addTo(
    part: Part,
    { toMs, opened, usage, sums }: { toMs: number; opened: number; usage: Usage; sums: Sums[] },
  ) {
    const own = sums.find((one) => one.part === part.name);
    if (!own && this.#open === 0) return;
    const first = (this.#first ??= usage);
    const cpuNs = usage.cpuNs - first.cpuNs;
    part.toMs = toMs;
    part.opened += own?.opened ?? 0;
    part.failed += own?.failed ?? 0;
    part.messages += own?.messages ?? 0;
    if (usage.ms > first.ms) part.cores = cpuNs / NS_PER_MS / (usage.ms - first.ms);
    if (own && own.opened > 0) part.usPerConnection = cpuNs / NS_PER_US / part.opened;
    if (opened > 0 || this.#open === 0) return;
    part.heldSeconds += 1;
    part.bytesPerConnection = (usage.bytes - first.bytes) / this.#open;
  }

  /** @returns what is known last */
  #costs(): Totals {
    const all = [...this.parts, ...(this.#part ? [this.#part] : [])];
    const last = (key: "usPerConnection" | "bytesPerConnection") =>
      all.findLast((part) => part[key] !== null)?.[key] ?? undefined;
    return {
      cpu_us_per_connection: last("usPerConnection"),
      memory_bytes_per_connection: last("bytesPerConnection"),
    };
  }

  /** @returns its mark, with what it came to */
  async #endPart(): Promise<Point[]> {
    const part = this.#part;
    if (!part) return [];
    this.#part = undefined;
    this.parts.push(part);
    const found = await this.#percentiles("99", part.fromMs, part.toMs + 1);
    const p99 = (metric: string, what: string) => {
      const [ms] = found.get(metric) ?? [];
      return ms === undefined ? [] : [`${what} p99 ${ms.toFixed(1)} ms`];
    };
    const texts = [
      `${part.opened} opened, ${part.failed} failed`,
      `${part.messages} messages`,
      ...p99("handshake_ms", "connect"),
      ...p99("echo_latency_ms", "echo"),
      ...(part.cores === null ? [] : [`CPU ${part.cores.toFixed(2)} cores`]),
    ];
    return [this.#mark(part, texts.join("; "))];
  }

  /** @param text what it came to; none: it is on */
  #mark({ name, fromMs, toMs }: Part, text = "running"): Point {
    return {
      measurement: "parts",
      tags: this.#tags,
      fields: { title: name || this.#tags.scenario, text, end_ms: BigInt(toMs) },
      ms: fromMs,
    };
  }

  async #sums(fromMs: number, toMs: number): Promise<Sums[]> {
    const series = await this.#ask(
      `SELECT sum("value") FROM ${METRICS.map((metric) => `"k6".."${metric}"`).join(", ")} ` +
        `WHERE ${this.#ofRun(fromMs, toMs)} GROUP BY "part"`,
    );
    return [...Map.groupBy(series, ({ tags }) => tags.part)].map(([part, own]) => {
      const of = (metric: string) => own.find(({ name }) => name === metric)?.values[0][1] ?? 0;
      const [opened, failed, open, messages] = METRICS.map(of);
      return { part, opened, failed, open, messages };
    });
  }

  /** @returns by metric, in the order of `which`; left out are those without a sample */
  async #percentiles(
    which: string,
    fromMs?: number,
    toMs?: number,
  ): Promise<Map<string, number[]>> {
    const columns = which.split(", ").map((p) => `percentile("value", ${p}) AS "p${p}"`);
    const series = await this.#ask(
      `SELECT ${columns.join(", ")} FROM "k6".."handshake_ms", "k6".."echo_latency_ms" ` +
        `WHERE ${this.#ofRun(fromMs, toMs)}`,
    );
    return new Map(series.map(({ name, values: [[, ...values]] }) => [name, values]));
  }

  #ofRun(fromMs?: number, toMs?: number): string {
    const { run } = this.#tags;
    const times = fromMs === undefined ? "" : ` AND time >= ${fromMs}ms AND time < ${toMs}ms`;
    return `"run" = '${run}'${times}`;
  }

  /** @returns null: not every container has a sample */
  async #usage(toMs: number): Promise<Usage | null> {
    const series = await this.#ask(
      `SELECT last("value") FROM "cadvisor".."cpu_usage_total", "cadvisor".."memory_working_set" ` +
        `WHERE "container_name" =~ /^(${this.#containers})$/ AND time >= ${toMs - SAMPLE_MS}ms ` +
        `AND time < ${toMs}ms GROUP BY "container_name"`,
    );
    const of = (metric: string) =>
      series.filter(({ name }) => name === metric).map(({ values: [row] }) => row);
    const [cpu, memory] = [of("cpu_usage_total"), of("memory_working_set")];
    if (cpu.length === 0 || memory.length !== cpu.length) return null;
    const sum = (rows: number[][]) => rows.reduce((all, [, value]) => all + value, 0);
    return { ms: Math.max(...cpu.map(([ms]) => ms)), cpuNs: sum(cpu), bytes: sum(memory) };
  }

  #ask(query: string): Promise<Series[]> {
    return this.#influx.query(query);
  }
}

/** Of k6, in the order of `Sums`. */
const METRICS = [
  "connections_opened",
  "connections_failed",
  "connections_open",
  "ws_msgs_received",
];

/** of a second, and of one part; open: by how many more are open */
interface Sums {
  part: string;
  opened: number;
  failed: number;
  open: number;
  messages: number;
}

/** @returns fields of `live`; {}: there are no values */
function named(metric: "handshake" | "echo", values: number[] = []): Partial<LiveSample> {
  return Object.fromEntries(values.map((value, i) => [`${metric}_p${[50, 95, 99][i]}_ms`, value]));
}
