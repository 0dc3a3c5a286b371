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
/** On a busy machine k6 or InfluxDB is late: so long samples of a second may still come. */
const LATE_MS = 20_000;
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
  /** of the last LATE_MS, by second and part */
  #counted = new Map<string, Counts>();
  /** In the part, the most at once while none was opened. */
  #held = 0;
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
    const [counts, percentiles, usage] = await Promise.all([
      this.#counts(toMs - LATE_MS, toMs),
      this.#percentiles("50, 95, 99", fromMs, toMs),
      this.#usage(toMs),
    ]);
    const added = this.#added(counts);
    const active = added.filter(({ opened, messages }) => opened + messages > 0);
    const points: Point[] = [];
    // On a slow machine the end of one may lie beside the beginning of the next.
    const isOn = active.some(({ part }) => part === this.#part?.name);
    if (active.length > 0 && !isOn) {
      points.push(...(await this.#endPart()));
      await this.#begin(active[0].part, Math.max(active[0].ms, this.parts.at(-1)?.toMs ?? 0));
    }
    points.push(...this.#late(added, counts, fromMs));
    const own = added.filter(({ part }) => part === this.#part?.name);
    const total = (key: Count) => sumOf(added, key);
    const opened = total("opened");
    this.#opened += opened;
    this.#failed += total("failed");
    this.#open += total("open");
    const sample: Partial<LiveSample> & { ms: number } = {
      ms: toMs,
      opened: this.#opened,
      failed: this.#failed,
      open: this.#open,
      ...ratesOf(counts, fromMs),
      ...named("handshake", percentiles.get("handshake_ms")),
      ...named("echo", percentiles.get("echo_latency_ms")),
    };
    if (usage && this.#before && usage.ms > this.#before.ms)
      sample.proxy_cores =
        (usage.cpuNs - this.#before.cpuNs) / NS_PER_MS / (usage.ms - this.#before.ms);
    if (usage && this.#part) this.#addTo(this.#part, { toMs, usage, own });
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

  async #begin(name: string, fromMs: number) {
    this.#first = await this.#usage(fromMs);
    this.#held = 0;
    this.#part = {
      ...{ name, fromMs, toMs: fromMs, opened: 0, failed: 0, messages: 0, heldSeconds: 0 },
      ...{ cores: null, usPerConnection: null, bytesPerConnection: null },
    };
  }

  #addTo(part: Part, { toMs, usage, own }: { toMs: number; usage: Usage; own: Counts[] }) {
    if (own.length === 0 && this.#open === 0) return;
    const first = (this.#first ??= usage);
    const cpuNs = usage.cpuNs - first.cpuNs;
    const opened = sumOf(own, "opened");
    part.toMs = toMs;
    part.opened += opened;
    part.failed += sumOf(own, "failed");
    part.messages += sumOf(own, "messages");
    if (usage.ms > first.ms) part.cores = cpuNs / NS_PER_MS / (usage.ms - first.ms);
    if (opened > 0) part.usPerConnection = cpuNs / NS_PER_US / part.opened;
    // While the last of them close, their memory is still there.
    if (opened > 0 || this.#open === 0 || this.#open < this.#held) return;
    this.#held = this.#open;
    part.heldSeconds += 1;
    // A second in which none happens to be opened is no hold.
    const isHold = 2 * part.heldSeconds > (toMs - part.fromMs) / 1000;
    part.bytesPerConnection = isHold ? (usage.bytes - first.bytes) / this.#open : null;
  }

  /** @returns what has come since the last look, in the order of time */
  #added(counts: Counts[]): Counts[] {
    const before = this.#counted;
    this.#counted = new Map(counts.map((one) => [`${one.ms} ${one.part}`, one]));
    return counts.flatMap((one) => {
      const old = before.get(`${one.ms} ${one.part}`);
      const added = { ...one };
      for (const key of COUNTS) added[key] -= old?.[key] ?? 0;
      return COUNTS.some((key) => added[key] !== 0) ? [added] : [];
    });
  }

  /** @returns rates of the seconds before `fromMs` of which samples came late */
  #late(added: Counts[], counts: Counts[], fromMs: number): Point[] {
    const late = new Set(added.map(({ ms }) => ms).filter((ms) => ms < fromMs));
    return [...late].map((ms) => {
      const rates = { ms: ms + 1000, ...ratesOf(counts, ms) };
      this.#glance.add(rates);
      return { measurement: "live", tags: this.#tags, fields: liveFields(rates), ms: rates.ms };
    });
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

  /** @returns in the order of time */
  async #counts(fromMs: number, toMs: number): Promise<Counts[]> {
    const metrics = Object.keys(METRICS).map((metric) => `"k6".."${metric}"`);
    const series = await this.#ask(
      `SELECT sum("value") FROM ${metrics.join(", ")} ` +
        `WHERE ${this.#ofRun(fromMs, toMs)} GROUP BY time(1s), "part" fill(none)`,
    );
    const counts = new Map<string, Counts>();
    for (const { name, tags, values } of series)
      for (const [ms, value] of values) {
        const key = `${ms} ${tags.part}`;
        const none = { ms, part: tags.part, opened: 0, failed: 0, open: 0, messages: 0 };
        const one = counts.get(key) ?? none;
        one[METRICS[name]] = value;
        counts.set(key, one);
      }
    return [...counts.values()].sort((a, b) => a.ms - b.ms);
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

/** Of k6. */
const METRICS: Record<string, Count> = {
  connections_opened: "opened",
  connections_failed: "failed",
  connections_open: "open",
  ws_msgs_received: "messages",
};
const COUNTS = Object.values(METRICS);

type Count = "opened" | "failed" | "open" | "messages";
/** of a second, which begins at `ms`, and of one part; open: by how many more are open */
type Counts = { ms: number; part: string } & Record<Count, number>;

function sumOf(counts: Counts[], key: Count): number {
  return counts.reduce((sum, one) => sum + one[key], 0);
}

/** @param fromMs of a second */
function ratesOf(counts: Counts[], fromMs: number) {
  const own = counts.filter(({ ms }) => ms === fromMs);
  return {
    connections_per_second: sumOf(own, "opened"),
    messages_per_second: sumOf(own, "messages"),
  };
}

/** @returns fields of `live`; {}: there are no values */
function named(metric: "handshake" | "echo", values: number[] = []): Partial<LiveSample> {
  return Object.fromEntries(values.map((value, i) => [`${metric}_p${[50, 95, 99][i]}_ms`, value]));
}
