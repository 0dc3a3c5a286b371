import assert from "node:assert/strict";
import { test } from "node:test";
import { capacityResults } from "../analyse/testing/capacities.ts";
import { skipped } from "../plan/skips.ts";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import { liveView } from "./progress.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import type { Phase, RunEvent } from "../model/run-event.ts";
import type { TestContext } from "node:test";

/**
 * A terminal as far as the live view needs one: it wraps, and knows "\r", "\n", up, erase line and
 * erase below. Anything else is an error.
 */
class Terminal {
  rows: string[] = [""];
  row = 0;
  column = 0;
  writes: string[] = [];
  columns: number;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string) {
    this.writes.push(text);
    for (const [token, lines] of text.matchAll(/\x1b\[(\d*)[A-Za-z]|[^]/gu)) {
      if (token === "\r") this.column = 0;
      else if (token === "\n") this.#down();
      else if (token === "\x1b[K") this.rows[this.row] = this.rows[this.row].slice(0, this.column);
      else if (token === "\x1b[J") {
        this.rows.length = this.row + 1;
        this.rows[this.row] = this.rows[this.row].slice(0, this.column);
      } else if (/\x1b\[\d+A/.test(token)) this.row = Math.max(0, this.row - Number(lines));
      else if (token.startsWith("\x1b")) assert.match(token, /\x1b\[\d+m/);
      else this.#put(token);
    }
  }

  #down() {
    this.row += 1;
    this.column = 0;
    this.rows[this.row] ??= "";
  }

  #put(character: string) {
    if (this.column === (this.columns || 80)) this.#down();
    const old = Array.from(this.rows[this.row].padEnd(this.column));
    old[this.column] = character;
    this.rows[this.row] = old.join("");
    this.column += 1;
  }
}

const CELL: PlannedCell = {
  id: "r2-nginx-short-lived-wss-5000",
  round: 2,
  proxy: "nginx",
  profile: "nginx",
  scenario: "short-lived",
  scheme: "wss",
  parameters: { CONNECTIONS: 5000, CONCURRENCY: 100, MESSAGES: 1 },
  warmUp: null,
  loads: 1,
  observed: true,
  limitSeconds: 60,
  skip: null,
};

const latency = (median: number) => ({
  count: 5000,
  mean: 9,
  sd: 1,
  min: 1,
  median,
  p90: 1,
  p95: 1,
  p99: 1,
  p999: 1,
  max: 1,
});

const container = (role: "proxy" | "echo", totalSeconds: number) => ({
  role,
  image: "x",
  cpu: { userSeconds: 0, systemSeconds: 0, totalSeconds, throttledSeconds: 0 },
  memory: null,
  network: null,
  sockets: null,
});

const RECORD: CellRecord = {
  schema: 1,
  id: CELL.id,
  attempt: 1,
  status: "ok",
  cause: null,
  round: 2,
  proxy: "nginx",
  scenario: "short-lived",
  scheme: "wss",
  parameters: CELL.parameters,
  startedAt: "2026-11-20T23:00:00Z",
  phases: {},
  measured: null,
  connections: { asked: 5000, opened: 5000, failed: 0, failedByCause: {} },
  connectionsHeld: null,
  messagesEchoed: 5000,
  sends: null,
  totalSeconds: 4,
  handshakeMs: latency(12.34),
  echoLatencyMs: latency(8.1),
  requests: null,
  requestMs: null,
  containers: {
    nginx: container("proxy", 1.5),
    "nginx-tls": container("proxy", 0.25),
    echo: container("echo", 9),
  },
  echoWorkers: null,
  tls: null,
  machine: null,
  loadCores: 2,
};

const FAILED: CellRecord = {
  ...RECORD,
  status: "failed",
  cause: { kind: "container-died", message: "nginx ended with status 139\nits log: …\n" },
  connections: null,
  totalSeconds: null,
  handshakeMs: null,
  echoLatencyMs: null,
  containers: {},
};

/** Of 60 cells, which differ in nothing but the proxy. */
const PLAN = {
  proxies: ["haproxy", "nginx"],
  rounds: 6,
  scenarios: { "short-lived": SCENARIOS["short-lived"] },
  cells: Array.from({ length: 60 }, (_, i) => ({ ...CELL, id: `r1-${i}` })),
} as unknown as Plan;
const skip = "no memory";
const plan = {
  type: "plan",
  directory: "results/x-quick",
  plan: PLAN,
  done: 0,
  estimatedSeconds: 600,
} as const;
const cell = (planned: PlannedCell = CELL, attempt = 1) =>
  ({ type: "cell", cell: planned, number: 17, of: 60, attempt }) as RunEvent;
const phase = (name: Phase) => ({ type: "phase", phase: name }) as RunEvent;
const progress = (opened = 2345, failed = 0) =>
  ({
    type: "progress",
    opened,
    asked: 5000,
    failed,
    perSecond: 1234.4,
    proxyCores: 0.846,
  }) as RunEvent;
const end = (
  record: CellRecord,
  repeat: Extract<RunEvent, { type: "cell-end" }>["repeat"] = null,
) => ({ type: "cell-end", record, repeat, remainingSeconds: 520 }) as RunEvent;
const note = (text: string) => ({ type: "note", text }) as RunEvent;

/** @param options without colours unless env says so */
function viewOf(
  t: TestContext,
  {
    columns = 100,
    isTerminal = true,
    env = { NO_COLOR: "1" },
  }: { columns?: number; isTerminal?: boolean; env?: Record<string, string> } = {},
) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const terminal = new Terminal(columns);
  const clock = { ms: 0 };
  const view = liveView(terminal, { isTerminal, now: () => clock.ms, env });
  const pass = (ms: number) => {
    for (const end = clock.ms + ms; clock.ms < end;) {
      clock.ms += 50;
      t.mock.timers.tick(50);
    }
  };
  return { terminal, view, pass };
}

test("the block shows where the run is, and is rewritten in place", (t) => {
  const { terminal, view, pass } = viewOf(t);
  const control = { ...CELL, ...skipped("left-out") };
  const cells = [...PLAN.cells, { ...CELL, skip }, { ...CELL, skip }, control];
  view({ ...plan, plan: { ...PLAN, cells }, done: 3 });
  view(cell());
  pass(1000);
  assert.deepEqual(terminal.rows, [
    "60 measurements into results/x-quick, 3 already done, 2 skipped, ~10 min",
    "",
    "[========>                     ] 17/60  round 2/6  nginx TLS  starting  9:59 left",
    "",
  ]);
  view(phase("measure"));
  view(progress());
  pass(1000);
  assert.deepEqual(terminal.rows.slice(-3), [
    "",
    "[========>                     ] 17/60  round 2/6  nginx TLS  measuring  9:58 left",
    "  2,345/5,000 opened  1,234/s  0 failed  proxy 0.85 cores",
  ]);
  view(progress(5000, 12));
  pass(250);
  assert.match(terminal.rows.at(-1) ?? "", /^ {2}5,000\/5,000 opened .* 12 failed /);
});

for (const [columns, expected] of [
  [140, "[========>                     ] 17/60  round 2/6  nginx TLS  measuring  9:59 left"],
  [80, "[======>                ] 17/60  round 2/6  nginx TLS  measuring  9:59 left"],
  [60, "17/60  round 2/6  nginx TLS  measuring  9:59 left"],
] as const)
  test(`in ${columns} columns the bar is as long as there is room`, (t) => {
    const { terminal, view, pass } = viewOf(t, { columns });
    view(plan);
    view(cell());
    view(phase("measure"));
    pass(1000);
    assert.equal(terminal.rows[2], expected);
  });

test("of cells that run at once the block names the proxies, and each leaves its own line", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 300 });
  const other = { ...CELL, id: "r2-haproxy-short-lived-wss-5000", proxy: "haproxy" };
  view(plan);
  view({ ...(cell() as any), number: 16 });
  view(cell(other));
  pass(1000);
  assert.match(terminal.rows[2], / 17\/60 {2}round 2\/6 {2}nginx, haproxy {2}starting /);
  view(end(RECORD));
  pass(1000);
  assert.match(terminal.rows[1], /^ok {6}16\/60 {2}nginx {4}TLS /);
  assert.match(terminal.rows[3], / 17\/60 {2}round 2\/6 {2}haproxy TLS {2}/);
  view(end({ ...RECORD, id: other.id, proxy: "haproxy" }));
  pass(1000);
  assert.match(terminal.rows[2], /^ok {6}17\/60 {2}haproxy {2}TLS /);
});

test("what cells of a plan differ in has a column; HTTP is called so, and an event comes first", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 140 });
  const http = { ...CELL, scenario: "http", parameters: { CONNECTIONS: 400 } };
  const more = { ...CELL, parameters: { ...CELL.parameters, CONNECTIONS: 9000 } };
  const cells = [http, CELL, more];
  view({ ...plan, plan: { ...PLAN, cells, scenarios: SCENARIOS } });
  for (const planned of [http, { ...CELL, event: "reload" }]) {
    view(cell(planned));
    pass(1000);
    view(end({ ...RECORD, ...(planned as object), phases: {} } as CellRecord));
  }
  view(cell(more));
  pass(1000);
  const lasting = terminal.rows.slice(1, 3).map((row) => row.slice(0, 68));
  assert.deepEqual(lasting, [
    "ok      17/60  nginx    HTTPS  http                            1,250",
    "ok      17/60  nginx    TLS    short-lived, reload, 5,000 conn…  1,2",
  ]);
  assert.equal(terminal.rows.at(-1), "  short-lived, 9,000 connections");
});

test("a cell that is run again says why", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 300 });
  view(plan);
  view(end(RECORD, { why: "disturbed", isAtOnce: false }));
  view(end(RECORD, { why: "off index", isAtOnce: true }));
  pass(1000);
  assert.deepEqual(
    terminal.rows.slice(1, 3).map((row) => row.split(/echo +8.1 ms {2}/)[1]),
    ["disturbed by other load; will retry", "the machine's speed has changed; will retry"],
  );
});

test("a cell that will not count says so at once, and why", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 300 });
  view(plan);
  view(end({ ...RECORD, echoWorkers: [{ connections: 4990, messages: 5000, refused: 0 }] }));
  pass(1000);
  assert.equal(
    terminal.rows[1].split(/echo +8.1 ms {2}/)[1],
    "does not count: The echo server counted 4,990 connections, the generator 5,000 (limit 5 more)",
  );
});

test("a finished cell leaves a line above the block; the next begins without its figures", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 90 });
  view(plan);
  view(cell());
  view(progress());
  pass(80_000);
  view(end(FAILED, { why: "failed", isAtOnce: true }));
  view(cell(CELL, 2));
  pass(20_000);
  view(end({ ...RECORD, attempt: 2 }));
  view(note("throttled\x1b[2J by\tnobody\nsecond line"));
  view(cell({ ...CELL, round: 3, scheme: "ws" }));
  pass(1000);
  assert.deepEqual(terminal.rows, [
    "60 measurements into results/x-quick, ~10 min",
    "FAILED  17/60  nginx    TLS    container-died: nginx ended with status 139; will retry",
    "ok      17/60  nginx    TLS    attempt 2  1,250 conn/s  CPU 1.75 s  connect  12.3 ms",
    "throttled by nobody",
    "",
    "[========>                     ] 17/60  round 3/6  nginx plain  starting  8:39 left",
    "",
  ]);
});

for (const [columns, last] of [
  [140, "echo   8.1 ms"],
  [80, "connect  12.3 ms"],
  [60, "CPU 1.75 s"],
  [20, "TLS"],
] as const)
  test(`in ${columns} columns a finished line ends with the figure that fits: ${last}`, (t) => {
    const { terminal, view } = viewOf(t, { columns });
    view(plan);
    view(cell());
    view(end(RECORD));
    view.close();
    assert.ok(terminal.writes.join("").endsWith(`${last}\n`), terminal.writes.join(""));
  });

test("the block says who leads so far in the setting of the cell", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 140 });
  view(plan);
  const led = (name: string, cpu: number, id = `r2-${name}-short-lived-wss-5000`) => {
    view(cell({ ...CELL, id, proxy: name }));
    const containers = { [name]: container("proxy", cpu) };
    view(end({ ...RECORD, id, proxy: name, containers } as CellRecord));
  };
  led("nginx", 1);
  led("none", 0.1);
  view(cell());
  pass(1000);
  assert.doesNotMatch(terminal.rows.join(""), /so far/, "a single proxy leads nobody");
  led("haproxy", 0.5);
  led("haproxy", 9, "r2-haproxy-short-lived-ws-5000");
  view(cell());
  pass(1000);
  assert.equal(terminal.rows.at(-1), "  CPU per connection so far: haproxy 100 µs, nginx 2.00×");
});

test("close takes the block away and leaves the lasting lines, those not yet shown too; later ones follow", (t) => {
  const { terminal, view, pass } = viewOf(t);
  view(plan);
  view(cell());
  pass(250);
  view(note("last words"));
  view.close();
  view.close();
  view(note("and more"));
  pass(1000);
  assert.deepEqual(terminal.rows, [
    "60 measurements into results/x-quick, ~10 min",
    "last words",
    "and more",
    "",
  ]);
  assert.equal(terminal.column, 0);
  // Nothing was hidden or switched over that would have to be restored.
  assert.doesNotMatch(terminal.writes.join(""), /\x1b\[\?|\x1b\[s|\x1b7/);
});

test("closed before anything was shown, it has written nothing", (t) => {
  const { terminal, view, pass } = viewOf(t);
  pass(1000);
  view.close();
  assert.deepEqual(terminal.writes, []);
});

test("at most four refreshes a second, each one write, and none where nothing changed", (t) => {
  const { terminal, view, pass } = viewOf(t);
  view(plan);
  view(cell());
  for (let i = 0; i < 100; i++) {
    view(progress(i * 50));
    view(note(`note ${i}`));
    pass(50);
  }
  assert.ok(
    terminal.writes.length >= 15 && terminal.writes.length <= 20,
    `${terminal.writes.length} in 5 s`,
  );
  pass(250);
  terminal.writes = [];
  pass(10_000);
  // Elapsed and left change once a second each.
  assert.ok(terminal.writes.length <= 20, `${terminal.writes.length} in 10 s`);
});

test("no line of the block is wider than the terminal, whatever the names; nothing is left over when it narrows", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 120 });
  view(plan);
  view(cell({ ...CELL, proxy: "a-proxy-with-quite-a-name-".repeat(8) }));
  view(progress());
  pass(250);
  assert.equal(terminal.rows.length, 4);
  assert.match(terminal.rows[2], /^\[.*…$/);
  assert.equal(terminal.rows[2].length, 119);
  for (const columns of [40, 12, 2, 1]) {
    terminal.columns = columns;
    pass(250);
    // A real terminal has wrapped the old block again by now.
    assert.match(terminal.writes.at(-1) ?? "", /^\r\x1b\[J/);
    const block = terminal.rows.slice(2);
    assert.equal(block.length, 2, String(columns));
    for (const row of block)
      assert.ok(row.length <= Math.max(1, columns - 1), `${columns}: ${row}`);
  }
  terminal.columns = 0;
  pass(250);
  assert.equal(terminal.rows[2].length, 79, "a terminal that does not tell its width");
});

test("a lasting line longer than the terminal is wide is kept whole", (t) => {
  const { terminal, view, pass } = viewOf(t, { columns: 20 });
  view(plan);
  pass(250);
  view(note("x".repeat(50)));
  view(note("y".repeat(40)));
  pass(250);
  assert.deepEqual(terminal.rows.slice(3), [
    "x".repeat(20),
    "x".repeat(20),
    "x".repeat(10),
    "y".repeat(20),
    "y".repeat(20),
    "",
    "10:00 left",
  ]);
});

test("what another program writes meanwhile stays", (t) => {
  const { terminal, view, pass } = viewOf(t);
  view(plan);
  view(cell());
  pass(250);
  terminal.write("a warning\n");
  view(phase("verify"));
  pass(250);
  assert.deepEqual(terminal.rows.slice(1), [
    "a warning",
    "",
    "[========>                     ] 17/60  round 2/6  nginx TLS  verifying  10:00 left",
    "",
  ]);
});

for (const [what, options] of [
  ["not on a terminal", { isTerminal: false, env: {} }],
  ["in CI", { env: { CI: "true" } }],
  ["on a dumb terminal", { env: { TERM: "dumb" } }],
] as const) {
  test(`${what}: plain lines, one a finished cell, with the time left`, (t) => {
    const { terminal, view, pass } = viewOf(t, { columns: 500, ...options });
    view(plan);
    view(cell());
    view(phase("measure"));
    view(progress());
    pass(2000);
    view(end(RECORD));
    view(cell(CELL, 1));
    view(end(FAILED));
    view(
      end({
        ...FAILED,
        id: "other",
        status: "skipped",
        cause: { kind: "skipped", message: "too few descriptors" },
      }),
    );
    view(note("done"));
    view.close();
    assert.equal(
      terminal.writes.join(""),
      [
        "60 measurements into results/x-quick, ~10 min",
        "ok      17/60  nginx    TLS    1,250 conn/s  CPU 1.75 s  connect  12.3 ms  echo   8.1 ms  8:40 left",
        "FAILED  17/60  nginx    TLS    container-died: nginx ended with status 139  8:40 left",
        "skipped  nginx    TLS    skipped: too few descriptors  8:40 left",
        "done",
        "",
      ].join("\n"),
    );
  });
}

test("colours on a terminal, unless NO_COLOR is set", (t) => {
  const { terminal, view } = viewOf(t, { env: { TERM: "xterm" } });
  view(plan);
  view(end(RECORD));
  view.close();
  assert.match(terminal.writes.join(""), /\x1b\[32mok {4}\x1b\[39m {2}nginx/);
});

test("the timer keeps no process alive", async () => {
  const { spawnSync } = await import("node:child_process");
  const script = `
    import { liveView } from ${JSON.stringify(new URL("./progress.ts", import.meta.url).href)};
    liveView(process.stderr, { isTerminal: true, env: {} })(${JSON.stringify(plan)});`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 60_000,
  });
  assert.equal(status, 0);
});

test("an hour and more", (t) => {
  const { terminal, view, pass } = viewOf(t);
  view({ ...plan, estimatedSeconds: 3723 });
  pass(250);
  view(cell());
  pass(250);
  assert.match(terminal.rows[2], / {2}1:02:03 left$/);
});

test("a cell of held connections shows its messages per second", () => {
  const written: string[] = [];
  const view = liveView({ write: (text) => void written.push(text) }, { isTerminal: false });
  const held = { ...RECORD, connectionsHeld: { from: 5000, to: 5000 }, messagesEchoed: 6000 };
  view(plan);
  view({ type: "cell-end", record: held, repeat: null, remainingSeconds: 0 });
  assert.match(written.join(""), / 1,500 msg\/s /);
});

test("each rate of a search has a line: what came of it, what broke, and what was at its limit", () => {
  const lines: string[] = [];
  const view = liveView({ write: (text) => lines.push(text) }, { isTerminal: false });
  const { cells } = capacityResults({
    search: [
      [200, "holds"],
      [400, "fails"],
      [400, "limited"],
    ],
    at: [],
    above: [],
  });
  for (const probe of cells[0].probes ?? []) view({ type: "probe", probe });
  view.close();
  assert.deepEqual(lines, [
    "holds   200/s: p99 10.0 ms\n",
    "fails   400/s: p99 90.0 ms; broken: p99\n",
    "limited  400/s: p99 90.0 ms; broken: p99; limited by: generator\n",
  ]);
});
