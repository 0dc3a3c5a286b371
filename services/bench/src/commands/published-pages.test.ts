import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { answersTo, leadersOf, readRuns } from "../report/published.ts";
import { headlineMarkdown, headlineOf, readPages } from "../report/pages.ts";
import { filledIn } from "../report/template.ts";
import { makePages } from "./published-pages.ts";

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
const pages = readPages(PUBLISHED);
const runs = readRuns(PUBLISHED);
const made = makePages(PROJECT);

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
