import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { claimsPage } from "../report/claims.ts";
import { chartsOf } from "../report/charts-of-pages.ts";
import { questionsOf } from "../report/index-of-questions.ts";
import { addedText, answersTo, countsIn, leadersOf, readRuns } from "../report/published.ts";
import { headlineMarkdown, headlineOf, readPages } from "../report/pages.ts";
import { filledIn } from "../report/template.ts";
import { makePages } from "./published-pages.ts";

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
const pages = readPages(PUBLISHED);
const runs = readRuns(PUBLISHED);
const made = makePages(PROJECT);
const CPU_SMALL = {
  question: "cpu_us_per_message",
  parameters: { MESSAGE_BYTES: [0, 1024] as [number, number] },
};

test("README and the pages over all published runs are those of today's runs and templates", () => {
  const files = Object.keys(made);
  assert.deepEqual(files.filter((name) => !name.includes("/charts/")).sort(), [
    "README.md",
    "published/CLAIMS.md",
    "published/FINDINGS.md",
    "published/README.md",
    "published/index.html",
  ]);
  for (const name of files)
    assert.ok(
      existsSync(join(PROJECT, name)) && readFileSync(join(PROJECT, name), "utf8") === made[name],
      `${name} is stale: npm run generate in services/bench`,
    );
  const charts = readdirSync(join(PUBLISHED, "charts")).map((name) => `published/charts/${name}`);
  assert.deepEqual(
    charts.filter((name) => !files.includes(name)),
    [],
    "no page shows these",
  );
});

test("no text has a hole in it, and every page fits", () => {
  for (const [name, text] of Object.entries(made)) {
    const words = text.replace(/<script>.*<\/script>/s, "");
    assert.doesNotMatch(words, /undefined|NaN|\bnull\b|\{\{|\[object/, name);
  }
  assert.ok(made["published/index.html"].length < 400_000);
  assert.ok(made["README.md"].split(/\s+/).length < 900, "README has 900 words or more");
});

const reports = runs.map(({ name }): [string, string] => [
  `published/${name}/report.md`,
  readFileSync(join(PUBLISHED, name, "report.md"), "utf8"),
]);
const TEXTS = [...Object.entries(made).filter(([name]) => name.endsWith(".md")), ...reports];

/** What the record cannot carry; a row's own test tells whether a line says it. */
const NEVER: [what: string, isSaid: (line: string) => boolean][] = [
  [
    "four digits or more of a figure",
    (line) => /\d,\d\d[1-9] ?(µs|kB|MB|ms)\b|\d{2}\.\d{2,}×|\d\.\d{3,}×/.test(line),
  ],
  ["connections per GiB, a reciprocal", (line) => /connections (per|a) GiB/i.test(line)],
  ["CPU per operation without its loop", (line) => isCpuHead(line) && !LOOP.test(line)],
  [
    "reference as a unit for other machines",
    (line) => /can be compared with other machines/.test(line),
  ],
  ["a million, or any number beyond what was held", (line) => /1,000,000|1 million/.test(line)],
];
const LOOP = /closed loop|set rate|one at a time/;

/** The head of a table of figures, or a row of published/README.md. */
function isCpuHead(line: string): boolean {
  return (
    /^\|.*CPU per (new )?(connection|message|handshake|request)\b/i.test(line) &&
    !/Mostly queueing/.test(line)
  );
}

for (const [what, isSaid] of NEVER)
  test(`no report or page says: ${what}`, () => {
    for (const [name, text] of TEXTS.filter(([file]) => !file.endsWith("CLAIMS.md")))
      assert.deepEqual(
        text.split("\n").filter((line) => isSaid(line)),
        [],
        name,
      );
  });

test("a share of the reference's CPU stands under the load that it is of", () => {
  for (const [name, text] of reports)
    for (const [, title] of text.matchAll(/^\*\*(.*)\*\*\n\n\| Proxy \| × reference/gm))
      assert.match(title, LOOP, name);
});

test("plain and TLS of a question are of one run and load where a run has both; a chart joins no two", () => {
  const asked = { ...pages, groups: [{ title: "", questions: [{ title: "", from: CPU_SMALL }] }] };
  const [{ answers }] = questionsOf(runs, asked);
  assert.equal(new Set(answers.map(({ run }) => run.name)).size, 1);
  assert.deepEqual(new Set(answers.map(({ comparison }) => comparison.load?.loop)).size, 1);
  const series = ["nginx-idle", "idle-tls"].map((run, i) => ({
    title: run,
    run,
    question: "memory-per-connection",
    measure: "proxy_memory_mean_usage_bytes",
    scheme: (["ws", "wss"] as const)[i],
  }));
  const charts = { joined: { title: "Joined", axis: "", series } };
  assert.throws(() => chartsOf(runs, { ...pages, charts }), /"Joined" joins two runs/);
});

test("a later run of a battle changes no claim, and nothing that names the battle", () => {
  const later = runs.map((run) => ({
    ...run,
    name: `${run.name}/2030-01-01T00-00`,
    comparisons: { ...run.comparisons, startedAt: "2030-01-01T00:00:00Z" },
  }));
  assert.equal(claimsPage(PROJECT, [...later, ...runs]), made["published/CLAIMS.md"]);
  const asked = { run: "proxies", question: "cpu_us_per_connection", scheme: "ws" as const };
  assert.deepEqual(answersTo([...later, ...runs], asked), answersTo(runs, asked));
});

test("what a proxy adds is an upper end where it cannot be told from nothing; slopes name their counts", () => {
  const added = (low: number, high: number) => {
    const [answer] = answersTo(runs, { question: "echo-at-rate", scheme: "ws" });
    const figure = answer.comparison.figures[0];
    const estimate = { value: 0.47, low, high, basis: "ci95" as const };
    return addedText(answer, { ...figure, extra: { added: estimate } });
  };
  assert.deepEqual([added(0.1, 0.9), added(-0.05, 1.07)], ["0.5 ms", "≤ 1.1 ms"]);
  const [idle] = answersTo(runs, { run: "idle-tls", question: "memory-per-connection" });
  assert.equal(countsIn(idle), "1,000 to 9,000");
});

test("links of README and the pages lead somewhere in the repository", () => {
  for (const [name, text] of Object.entries(made).filter(([name]) => !name.endsWith(".svg"))) {
    const links = [...text.matchAll(/(?:\]\(|href="|src=")([^)"#]+)/g)].map(([, link]) => link);
    assert.ok(links.length > 3, name);
    const inside = links.filter((link) => !/^https?:/.test(link));
    const broken = inside.filter((link) => !existsSync(join(PROJECT, dirname(name), link)));
    assert.deepEqual(broken, [], name);
  }
});

test("each question of pages.yaml has an answer", () => {
  const questions = pages.groups.flatMap(({ questions }) => questions);
  assert.equal(questions.filter(({ card }) => card).length, 7);
  const unanswered = questions.filter(({ from }) => answersTo(runs, from).length === 0);
  assert.deepEqual(unanswered, []);
});

test("a template's place that leads nowhere, or to several comparisons, is an error", () => {
  const fill = (text: string) => filledIn(text, { runs, pages, folder: "" });
  assert.equal(fill("{{ratio proxies cpu_us_per_connection ws nginx nginx}}"), "1.00×");
  assert.match(
    fill("{{value idle-tls memory-per-connection measure=proxy_memory_mean_usage_bytes nginx}}"),
    /^\d+ kB$/,
  );
  for (const [place, message] of [
    ["{{nothing}}", /expected one of/],
    ["{{ratio nosuch cpu_us_per_connection ws nginx haproxy}}", /0 comparisons/],
    ["{{ratio latency cpu_us_per_connection nginx haproxy}}", /4 comparisons.*name run, measure/],
    ["{{ratio proxies cpu_us_per_connection ws nginx nosuch}}", /no figure of nginx or nosuch/],
    ["{{value proxies cpu_us_per_connection ws}}", /expected 1 proxies/],
    ["{{chart nosuch}}", /no chart nosuch/],
    ["{{report nosuch}}", /no published run nosuch/],
  ] as const)
    assert.throws(() => fill(place), message, place);
});

test("who leads: one rank; nobody in an unconfirmed search or in ratios", () => {
  const common = pages.headline.proxies;
  const leaders = (from: Parameters<typeof answersTo>[1]) =>
    leadersOf(answersTo(runs, from)[0], common);
  const cpu = { run: "proxies", question: "cpu_us_per_connection" };
  assert.deepEqual(leaders({ ...cpu, scheme: "ws" }).sort(), ["haproxy", "nginx"]);
  assert.deepEqual(leaders({ ...cpu, scheme: "wss" }).sort(), ["envoy", "haproxy", "nginx"]);
  assert.deepEqual(leaders({ question: "capacity", scheme: "ws" }), []);
  assert.deepEqual(leaders({ question: "tls", run: "proxies" }), []);
  assert.deepEqual(
    leaders({ question: "slow-readers", measure: "stalled_bytes", scheme: "ws" }).sort(),
    ["haproxy", "nginx"],
  );
});

test("README's table says why a figure is missing, and tells who cannot be told from the best", () => {
  const { rows } = headlineOf(runs, pages);
  const cells = Object.fromEntries(rows.map(({ proxy, cells }) => [proxy, cells]));
  assert.equal(cells["http-proxy"][4].text, "no reload");
  assert.equal(cells.envoy[0].text, "–");
  assert.deepEqual(
    ["nginx", "haproxy", "envoy"].map((proxy) => cells[proxy][1].text),
    ["1×", "≈ 1×", "≈ 1×"],
  );
  assert.match(headlineMarkdown(headlineOf(runs, pages)), /^\| \| RAM per idle TLS connection/);
});

test("without a published run, or without what they show, there are no pages", () => {
  assert.deepEqual(makePages(join(PROJECT, "services")), {});
});
