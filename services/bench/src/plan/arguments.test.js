import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAa, parseCompare, parseReport, parseRun, usage } from "./arguments.js";

/** @param {string} line */
const words = (line) => line.split(" ").filter((word) => word !== "");

test("run alone is the battle quick as it is", () => {
  assert.deepEqual(parseRun([]), {
    battle: "quick",
    overrides: {},
    name: undefined,
    resume: undefined,
    dryRun: false,
    keepGoing: false,
  });
});

test("compare takes two runs", () => {
  assert.deepEqual(parseCompare(words("a results/b")), {
    run: "a",
    baseline: "results/b",
    json: false,
  });
  assert.equal(parseCompare(words("--json a b")).json, true);
  assert.match(
    usage("compare"),
    /^\.\/bench compare RUN BASELINE \[OPTION…\]: .*\n\n {2}RUN .*\n {2}BASELINE /,
  );
});

test("run with everything", () => {
  assert.deepEqual(
    parseRun(
      words(
        "--proxies nginx,haproxy messages --scheme wss,ws --connections 1000,2000 --rounds=3 --seed 0" +
          " --proxy-cpus 0.5 --name my-run_1.2 --dry-run --keep-going",
      ),
    ),
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
      keepGoing: true,
    },
  );
});

test("all proxies", () => assert.equal(parseRun(["--proxies", "all"]).overrides.proxies, "all"));

test("resume goes with what does not change the plan", () => {
  const { resume, dryRun, keepGoing } = parseRun(
    words("--resume results/x --dry-run --keep-going"),
  );
  assert.deepEqual([resume, dryRun, keepGoing], ["results/x", true, true]);
});

test("report and aa", () => {
  assert.deepEqual(parseReport(["results/x"]), { directory: "results/x" });
  assert.deepEqual(parseAa(words("nginx --rounds 20 --connections 500 --scheme ws")), {
    proxy: "nginx",
    overrides: { rounds: 20, connections: [500], schemes: ["ws"] },
  });
});

for (const [line, message, next] of /** @type {const} */ ([
  [
    "--round 3",
    "unknown option: --round",
    /^Did you mean --rounds\? \.\/bench run takes: --proxies, /,
  ],
  ["--sheme ws", "unknown option: --sheme", /^Did you mean --scheme\?/],
  ["-n 3", "unknown option: -n", /^\.\/bench run takes/],
  ["--toString", "unknown option: --toString", /takes/],
  ["--rounds", "--rounds has no value", /^Expected a whole number from 1 to 1000\./],
  ["--rounds --seed 1", "--rounds has no value", /^Expected a whole number/],
  ["--rounds 0", '--rounds is "0"', /^Expected a whole number from 1 to 1000\./],
  ["--rounds 1001", '--rounds is "1001"', /from 1 to 1000/],
  ["--rounds 1.5", '--rounds is "1.5"', /whole number/],
  ["--rounds x", '--rounds is "x"', /whole number/],
  ["--rounds=", '--rounds is ""', /whole number/],
  ["--rounds 2 --rounds 3", "--rounds is given twice", /once/],
  ["--seed -1", '--seed is "-1"', /^Expected a whole number from 0/],
  ["--seed 4294967296", '--seed is "4294967296"', /to 4294967295/],
  ["--proxy-cpus -1", '--proxy-cpus is "-1"', /^Expected a number from 0 to 1024/],
  ["--proxy-cpus many", '--proxy-cpus is "many"', /number/],
  ["--connections 0", '--connections is "0"', /whole numbers from 1/],
  ["--connections 10,000", '--connections is "10,000"', /whole numbers from 1/],
  ["--connections 10,10", '--connections is "10,10"', /each once/],
  ["--connections 1k", '--connections is "1k"', /whole numbers/],
  ["--scheme http", '--scheme is "http"', /^Expected ws, wss or ws,wss/],
  ["--scheme ws,ws", '--scheme is "ws,ws"', /^Expected ws, wss/],
  ["--proxies nginx,", '--proxies is "nginx,"', /commas/],
  ["--proxies nginx,nginx", '--proxies is "nginx,nginx"', /commas/],
  ["--name ../x", '--name is "../x"', /letters, digits/],
  ["--name .x", '--name is ".x"', /the first a letter or digit/],
  ["--dry-run=yes", "--dry-run is yes", /without a value/],
  ["quick messages", "unexpected argument: messages", /at most one BATTLE/],
  ["--resume results/x --rounds 3", "--resume does not go with --rounds", /alone/],
  ["--resume results/x --name y", "--resume does not go with --name", /alone/],
  ["--resume results/x quick", "--resume does not go with a battle, quick", /alone/],
  ["--resume=", '--resume is ""', /folder of results/],
])) {
  test(`run ${line} is refused`, () =>
    assert.throws(() => parseRun(words(line)), { name: "Error", message, next, exitCode: 2 }));
}

for (const [parse, line, message, next] of /** @type {const} */ ([
  [parseReport, "", "report needs DIR", /^Expected one DIR: a folder of results\//],
  [parseReport, "a b", "unexpected argument: b", /^Expected one DIR/],
  [parseReport, "a --rounds 2", "unknown option: --rounds", /^\.\/bench report takes none\./],
  [parseAa, "", "aa needs PROXY", /^Expected one PROXY/],
  [parseCompare, "", "compare needs RUN", /^Expected RUN BASELINE: RUN is a folder of results/],
  [parseCompare, "a", "compare needs BASELINE", /BASELINE the run that it is held against\.$/],
  [parseCompare, "a b c", "unexpected argument: c", /^Expected RUN BASELINE/],
  [parseCompare, "a b --jsn", "unknown option: --jsn", /^Did you mean --json\?/],
  [parseAa, "nginx --proxies nginx", "unknown option: --proxies", /\.\/bench aa takes: --scheme/],
])) {
  test(`${parse.name} of "${line}" is refused`, () =>
    assert.throws(() => parse(words(line)), { message, next, exitCode: 2 }));
}

test("the usage text names every option with its value", () => {
  assert.match(usage("run"), /^\.\/bench run \[BATTLE\] \[OPTION…\]: /);
  assert.match(usage("run"), /^ {2}--connections N,N {2,}connections of every test/m);
  assert.match(usage("run"), /^ {2}--keep-going {2,}goes on after a cell has failed twice/m);
  assert.match(usage("report"), /^\.\/bench report DIR: /);
  assert.match(usage("aa"), /^ {2}PROXY {2,}a folder of proxies\/$/m);
});
