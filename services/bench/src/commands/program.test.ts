import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { makeProgram } from "./program.ts";

/**
 * @param line after ./bench
 * @returns the command that it calls, and what with
 */
function parse(line: string): unknown[] {
  const calls: unknown[] = [];
  const words = line.split(" ").filter((word) => word !== "");
  makeProgram((name, wanted) => void calls.push(name, wanted)).parse(words, { from: "user" });
  return calls;
}

/** What `run` and `export` are called with by default. */
const SWITCHES = { name: undefined, dryRun: false, verbose: false, keepGoing: false };
const RUN = {
  ...{ ...SWITCHES, battle: "quick", overrides: {} },
  ...{ resume: undefined, hosts: undefined },
};
const VERIFY = { behaviour: false, idle: undefined, markdown: false };
const COST = {
  ...{ from: undefined, predict: undefined, check: undefined, markdown: false },
  load: { connections: 0, messagesPerSecond: 0, messageBytes: 512, newPerSecond: 0, tls: false },
};
const EXPORT = {
  run: undefined,
  dashboard: undefined,
  panel: undefined,
  formats: ["svg", "png", "csv", "json"],
  snapshot: undefined,
  grafana: undefined,
};

for (const [line, name, wanted] of [
  ["setup", "setup", {}],
  ["run", "run", RUN],
  [
    "run --proxies nginx,haproxy messages --scheme wss,ws --connections 1000,2000 --rounds=3 --seed 0" +
      " --proxy-cpus 0.5 --name my-run_1.2 --dry-run --verbose --keep-going",
    "run",
    {
      battle: "messages",
      overrides: {
        proxies: ["nginx", "haproxy"],
        schemes: ["wss", "ws"],
        connections: [1000, 2000],
        rounds: 3,
        seed: 0,
        proxyCpus: 0.5,
      },
      name: "my-run_1.2",
      resume: undefined,
      dryRun: true,
      verbose: true,
      keepGoing: true,
      hosts: undefined,
    },
  ],
  ["run --proxies all", "run", { ...RUN, overrides: { proxies: ["all"] } }],
  [
    "run --resume results/x --dry-run --keep-going",
    "run",
    { ...RUN, resume: "results/x", dryRun: true, keepGoing: true },
  ],
  ["run messages --hosts lab.yaml", "run", { ...RUN, battle: "messages", hosts: "lab.yaml" }],
  [
    "run --resume results/x --hosts lab.yaml",
    "run",
    { ...RUN, resume: "results/x", hosts: "lab.yaml" },
  ],
  ["report results/x", "report", { directory: "results/x" }],
  ["publish results/x", "publish", { directory: "results/x" }],
  ["publish results/x --remark Loud", "publish", { directory: "results/x", remark: "Loud" }],
  ["site results/site", "site", { directory: "results/site" }],
  ["compare a results/b", "compare", { run: "a", baseline: "results/b", json: false, all: false }],
  ["compare --json a b", "compare", { run: "a", baseline: "b", json: true, all: false }],
  [
    "cost --connections 20000 --messages-per-second 330.5 --bytes 64 --new-per-second 5 --tls --from x",
    "cost",
    {
      ...{ ...COST, from: "x" },
      load: {
        ...{ connections: 20000, messagesPerSecond: 330.5, messageBytes: 64 },
        ...{ newPerSecond: 5, tls: true },
      },
    },
  ],
  ["cost --predict mixed", "cost", { ...COST, predict: "mixed" }],
  ["cost --check x --markdown", "cost", { ...COST, check: "x", markdown: true }],
  ["calibrate", "calibrate", { ...SWITCHES, battle: "calibrate", overrides: {} }],
  ["export", "export", EXPORT],
  [
    "export one --dashboard battle --panel 101 --format csv,svg --grafana http://g:3000",
    "export",
    {
      ...EXPORT,
      run: "one",
      dashboard: "battle",
      panel: 101,
      formats: ["csv", "svg"],
      grafana: "http://g:3000",
    },
  ],
  ["export --snapshot", "export", { ...EXPORT, snapshot: "" }],
  ["export --snapshot --panel 3", "export", { ...EXPORT, snapshot: "", panel: 3 }],
  [
    "export one --snapshot http://g:3000",
    "export",
    { ...EXPORT, run: "one", snapshot: "http://g:3000" },
  ],
  [
    "export --snapshot out/one.json one",
    "export",
    { ...EXPORT, run: "one", snapshot: "out/one.json" },
  ],
  [
    "aa nginx --rounds 20 --connections 500 --scheme ws",
    "aa",
    { proxy: "nginx", overrides: { rounds: 20, connections: [500], schemes: ["ws"] } },
  ],
  [
    "try nginx my.conf --markdown",
    "try",
    {
      ...{ proxy: "nginx", config: "my.conf", measures: ["cpu"], tolerance: 0.1, set: {} },
      ...{ against: undefined, image: undefined, path: undefined, host: undefined },
      ...{ rounds: undefined, connections: undefined, idle: 62, json: false, markdown: true },
    },
  ],
  ["list", "list", {}],
  ["selfbench", "selfbench", {}],
  ["doctor", "doctor", {}],
  ["hosts check", "hosts", { action: "check", file: "hosts.yaml", proxies: undefined }],
  [
    "hosts join --hosts mine.yaml --proxies nginx",
    "hosts",
    { action: "join", file: "mine.yaml", proxies: ["nginx"] },
  ],
  ["up nginx", "up", { proxy: "nginx" }],
  ["down", "down", { data: false }],
  ["down --data", "down", { data: true }],
  ["verify", "verify", { ...VERIFY, proxies: [] }],
  ["verify nginx none", "verify", { ...VERIFY, proxies: ["nginx", "none"] }],
  ["verify --behaviour defaults", "verify", { ...VERIFY, proxies: ["defaults"], behaviour: true }],
  [
    "verify --markdown --idle 65 all",
    "verify",
    { ...VERIFY, proxies: ["all"], markdown: true, idle: 65 },
  ],
  ["test lab run", "test", { words: ["lab", "run"] }],
  ["ready", "ready", {}],
  ["host-ports", "host-ports", {}],
  ["clock", "clock", {}],
  ["taken-ports", "taken-ports", { ports: [] }],
  ["taken-ports 8080 8443", "taken-ports", { ports: ["8080", "8443"] }],
] as [string, string, unknown][]) {
  test(`./bench ${line}`, () => assert.deepEqual(parse(line), [name, wanted]));
}

for (const [line, fact, next] of [
  ["rnu", "unknown command 'rnu'", /^Did you mean run\? \.\/bench help lists the commands\./],
  [
    "run --round 3",
    "unknown option '--round'",
    /^Did you mean --rounds\? Expected \.\/bench run \[options\] \[BATTLE\]\..* See \.\/bench run --help\.$/,
  ],
  ["run --sheme ws", "unknown option '--sheme'", /^Did you mean --scheme\?/],
  ["run -n 3", "unknown option '-n'", /^Expected \.\/bench run/],
  ["run --toString", "unknown option '--toString'", /^Expected/],
  ["run --rounds", "option '--rounds <N>' argument missing", /run --help/],
  ["run --rounds --seed 1", "--rounds has no value", /^Expected a whole number from 1 to 1000\./],
  ["run --rounds 0", '--rounds is "0"', /^Expected a whole number from 1 to 1000\./],
  ["run --rounds 1001", '--rounds is "1001"', /from 1 to 1000/],
  ["run --rounds 1.5", '--rounds is "1.5"', /whole number/],
  ["run --rounds x", '--rounds is "x"', /whole number/],
  ["run --rounds=", '--rounds is ""', /whole number/],
  ["run --rounds 2 --rounds 3", "--rounds is given twice", /once/],
  ["run --seed -1", '--seed is "-1"', /^Expected a whole number from 0/],
  ["run --seed 4294967296", '--seed is "4294967296"', /to 4294967295/],
  ["run --proxy-cpus -1", '--proxy-cpus is "-1"', /^Expected a number from 0 to 1024/],
  ["run --proxy-cpus many", '--proxy-cpus is "many"', /number/],
  ["run --connections 0", '--connections is "0"', /whole numbers from 1/],
  ["run --connections 10,000", '--connections is "10,000"', /whole numbers from 1/],
  ["run --connections 10,10", '--connections is "10,10"', /each once/],
  ["run --connections 1k", '--connections is "1k"', /whole numbers/],
  ["run --scheme http", '--scheme is "http"', /^Expected ws, wss or ws,wss/],
  ["run --scheme ws,ws", '--scheme is "ws,ws"', /^Expected ws, wss/],
  ["run --proxies nginx,", '--proxies is "nginx,"', /commas/],
  ["run --proxies nginx,nginx", '--proxies is "nginx,nginx"', /commas/],
  ["run --name ../x", '--name is "../x"', /letters, digits/],
  ["run --name .x", '--name is ".x"', /the first a letter or digit/],
  ["run --name --dry-run", "--name has no value", /letters/],
  ["run --verbose", "--verbose goes with --dry-run", /both, or neither/],
  ["capacity --verbose", "--verbose goes with --dry-run", /both, or neither/],
  ["cost", "no load is given", /^Expected at least one of --connections,/],
  ["cost --bytes 64 --tls", "no load is given", /--new-per-second/],
  ["cost --connections 1.5", '--connections is "1.5"', /whole number/],
  [
    "cost --predict mixed --check x",
    "option '--predict <BATTLE>' cannot be used with option '--check <RUN>'",
    /cost --help/,
  ],
  ["run --dry-run=yes", "unknown option '--dry-run=yes'", /run --help/],
  [
    "run quick messages",
    "too many arguments for 'run'. Expected 1 argument but got 2: quick, messages.",
    /BATTLE: a file of battles\//,
  ],
  [
    "run --resume results/x --rounds 3",
    "option '--resume <DIR>' cannot be used with option '--rounds <N>'",
    /run --help/,
  ],
  [
    "run --name y --resume results/x",
    "option '--resume <DIR>' cannot be used with option '--name <NAME>'",
    /run --help/,
  ],
  [
    "run --resume results/x quick",
    "--resume does not go with a battle, quick",
    /the plan is in the folder of the run/,
  ],
  ["run --resume=", '--resume is ""', /folder of results/],
  ["hosts", "missing required argument 'ACTION'", /ACTION: what to do with them\./],
  [
    "hosts start",
    "command-argument value 'start' is invalid for argument 'ACTION'. Allowed choices are check, join, leave.",
    /hosts --help/,
  ],
  ["hosts check --hosts=", '--hosts is ""', /hosts\.example\.yaml/],
  [
    "try nginx my.conf --markdown --json",
    "option '--markdown' cannot be used with option '--json'",
    /try --help/,
  ],
  ["report", "missing required argument 'DIR'", /DIR: a folder of results\//],
  ["report a --rounds 2", "unknown option '--rounds'", /\.\/bench report \[options\] <DIR>/],
  ["compare", "missing required argument 'RUN'", /RUN: .* BASELINE: /],
  ["compare a", "missing required argument 'BASELINE'", /BASELINE: the run to compare it with/],
  [
    "compare a b c",
    "too many arguments for 'compare'. Expected 2 arguments but got 3: a, b, c.",
    /./,
  ],
  ["compare a b --jsn", "unknown option '--jsn'", /^Did you mean --json\?/],
  ["aa nginx --proxies nginx", "unknown option '--proxies'", /\.\/bench aa/],
  ["export --format svg,pgn", '--format is "svg,pgn"', /svg, png, csv or json/],
  ["export --panel cpu", '--panel is "cpu"', /whole number/],
  ["export --snapshot my-run", '--snapshot is "my-run"', /a run goes before it/],
  ["export --snapshot=file.txt", '--snapshot is "file.txt"', /\.json/],
  ["export --grafana http://a --grafana http://b", "--grafana is given twice", /once/],
  ["export --grafana localhost:3000", '--grafana is "localhost:3000"', /http:/],
  [
    "verify --behaviour --markdown",
    "option '--markdown' cannot be used with option '--behaviour'",
    /verify --help/,
  ],
  ["verify --idle 0", '--idle is "0"', /^Expected a whole number from 1 to 86400\./],
  ["up", "missing required argument 'PROXY'", /PROXY: a folder of proxies\//],
  [
    "up nginx none",
    "too many arguments for 'up'. Expected 1 argument but got 2: nginx, none.",
    /./,
  ],
  [
    "down now",
    "too many arguments for 'down'. Expected 0 arguments but got 1: now.",
    /down --help/,
  ],
] as [string, string, RegExp][]) {
  test(`./bench ${line} is refused`, () =>
    assert.throws(
      () => parse(line),
      (error) => {
        assert.ok(error instanceof UserError, String(error));
        assert.equal(error.message, fact);
        assert.match(error.next, next);
        assert.equal(error.exitCode, 2);
        return true;
      },
    ));
}
