import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { valueOf } from "../analyse/figures.ts";
import { LEAST_RUNS } from "../analyse/pool.ts";
import { CAPABILITIES } from "../conformance/capabilities.ts";
import { claimsPage } from "../report/claims.ts";
import { chartsOf, pictureOf } from "../report/charts-of-pages.ts";
import { FONTS, hashOf } from "../report/png.ts";
import { bestText, questionsOf } from "../report/index-of-questions.ts";
import {
  addedText,
  answersTo,
  countsIn,
  leadersOf,
  ratioText,
  battleOf,
  readBattles,
  reportOf,
  runsOf,
  ratioIn,
  figureOf,
  whenOf,
} from "../report/published.ts";
import type { Answer } from "../report/published.ts";
import { headlineMarkdown, headlineOf, readPages } from "../report/pages.ts";
import { pooledReport } from "../report/pooled.ts";
import { proxiesIn } from "../report/text.ts";
import { anchorOf } from "../report/site-page.ts";
import { filledIn } from "../report/template.ts";
import { makePages, makePicture } from "./published-pages.ts";

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
const pages = readPages(PUBLISHED);
const battles = readBattles(PUBLISHED);
const runs = runsOf(battles);
const made = makePages(PROJECT);
const picture = `published/charts/${pages.picture}.png`;
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
    "published/crash/report.md",
    "published/gauntlet/report.md",
    "published/idle/report.md",
    "published/index.html",
    "published/latency/report.md",
    "published/messages/report.md",
    "published/network/report.md",
    "published/quick/report.md",
  ]);
  for (const name of files)
    assert.ok(
      existsSync(join(PROJECT, name)) && readFileSync(join(PROJECT, name), "utf8") === made[name],
      `${name} is stale: npm run generate in services/bench`,
    );
  const charts = readdirSync(join(PUBLISHED, "charts")).map((name) => `published/charts/${name}`);
  assert.deepEqual(
    charts.filter((name) => !files.includes(name)),
    [picture],
    "no page shows these",
  );
});

test("the picture for slides is 1200 × 630, and drawn of today's figures", async () => {
  const png = readFileSync(join(PROJECT, picture));
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
  const [, drawn] = png.toString("latin1").match(/tEXtsvg\0(\w{64})/) ?? [];
  assert.equal(drawn, hashOf(pictureOf(battles, pages)), `${picture} is stale: npm run generate`);
  // Other builds of the font draw other pixels.
  const [, fonts] = png.toString("latin1").match(/tEXtfonts\0(\w{64})/) ?? [];
  if (!FONTS.every((file) => existsSync(file))) return;
  if (hashOf(...FONTS.map((file) => readFileSync(file))) === fonts)
    assert.ok(png.equals((await makePicture(PROJECT)).png), `${picture} is not what its SVG shows`);
});

test("the picture for slides names the machines of its own battle alone", () => {
  const { battle: own } = pages.charts[pages.picture].series[0];
  assert.ok(battles.some(({ name }) => name === own));
  const moved = battles.map((battle) =>
    battle.name === own
      ? battle
      : { ...battle, runs: battle.runs.map((run) => ({ ...run, cpu: "elsewhere" })) },
  );
  assert.equal(pictureOf(moved, pages), pictureOf(battles, pages));
});

test("no text has a hole in it, and every page fits", () => {
  for (const [name, text] of Object.entries(made)) {
    const words = text.replace(/<script>.*<\/script>/s, "");
    assert.doesNotMatch(words, /undefined|NaN|Infinity|\bnull\b|\{\{|\[object/, name);
  }
  assert.ok(made["published/index.html"].length < 400_000);
  assert.ok(made["published/README.md"].split(/\s+/).length < 1300);
  const findings = made["published/FINDINGS.md"].split(/^## /m).slice(1);
  assert.equal(findings.length, 10);
  for (const finding of findings) {
    const [, text, chart, command] = finding.split(/\n\n+/);
    assert.ok(text.split(/\.\s/).length <= 4, text);
    assert.match(chart, /^!\[[^\]]+\]\(charts\/[\w-]+\.svg\)$/);
    assert.match(command, /^`\.\/bench run [^`]+` · \[/);
  }
  assert.ok(made["README.md"].split(/\s+/).length < 900, "README has 900 words or more");
});

const reports = runs.map(({ folder }): [string, string] => [
  `published/${folder}/report.md`,
  readFileSync(join(PUBLISHED, folder, "report.md"), "utf8"),
]);
const TEXTS = [...Object.entries(made).filter(([name]) => name.endsWith(".md")), ...reports];

/** Of two medians. */
function figureRatio(answer: Parameters<typeof figureOf>[0], proxy: string, to: string): number {
  const [own, other] = [proxy, to].map((name) => figureOf(answer, name)?.estimate?.value ?? NaN);
  return own / other;
}

/** @returns CPU per plain connection: on a quiet machine, and at full load */
function latencyCpu(of: typeof battles) {
  const cpu = { battle: "latency", question: "cpu_us_per_connection", scheme: "ws" as const };
  return ["arrivals", "short-lived"].map((scenario) => answersTo(of, { ...cpu, scenario })[0]);
}

/** @param changes factors; the largest is "up to a third", and more than a quarter */
function assertUpToAThird(changes: number[]) {
  const most = Math.max(...changes.map((change) => Math.abs(change - 1)));
  assert.ok(most > 0.25 && most < 0.35, String(most));
}

test("between a quiet machine and a full one ratios differ by up to a third, as README and a finding say", () => {
  for (const name of ["README.md", "published/FINDINGS.md"])
    assert.match(made[name], /differ\s+by\s+up\s+to\s+a\s+third/, name);
  const [quiet, full] = latencyCpu(battles);
  assertUpToAThird(
    pages.headline.proxies.map(
      (proxy) => figureRatio(quiet, proxy, "nginx") / figureRatio(full, proxy, "nginx"),
    ),
  );
});

/** @returns of each proxy the largest value of all pooled runs, times the smallest */
function mostApart(answer: Parameters<typeof figureOf>[0]): Map<string, number> {
  return new Map(
    pages.headline.proxies.map((proxy) => {
      const { values = [] } = figureOf(answer, proxy)?.extra.runs ?? {};
      assert.ok(values.length >= 3, proxy);
      return [proxy, Math.max(...values) / Math.min(...values)];
    }),
  );
}

test("from run to run µs differed up to threefold, as the findings say", () => {
  assert.match(
    made["published/FINDINGS.md"],
    /µs\s+differed\s+up\s+to\s+threefold\s+from\s+run\s+to\s+run/,
  );
  const quick = { battle: "quick", question: "cpu_us_per_connection", scheme: "ws" as const };
  const all = [...latencyCpu(battles), answersTo(battles, quick)[0]].flatMap((answer) => [
    ...mostApart(answer),
  ]);
  for (const [proxy, apart] of all) assert.ok(apart > 1.5, `${proxy} ${apart}`);
  const most = Math.max(...all.map(([, apart]) => apart));
  assert.ok(most > 2.7 && most < 3.2, String(most));
});

test("runs of idle memory differ by 12 % for Caddy and 5 % for others, as a finding says", () => {
  assert.match(
    made["published/FINDINGS.md"],
    /up\s+to\s+12\s%\s+for\s+Caddy\s+and\s+5\s%\s+for\s+the\s+others/,
  );
  const asked = { question: "memory-per-connection", measure: "proxy_memory_mean_usage_bytes" };
  const all = (["ws", "wss"] as const).flatMap((scheme) => [
    ...mostApart(answersTo(battles, { ...asked, battle: "idle", scheme })[0]),
  ]);
  const most = (isTold: (proxy: string) => boolean) =>
    Math.round(
      100 * (Math.max(...all.flatMap(([name, apart]) => (isTold(name) ? apart : []))) - 1),
    );
  assert.deepEqual([most((name) => name === "caddy"), most((name) => name !== "caddy")], [12, 5]);
});

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
  const [{ answers }] = questionsOf(battles, asked);
  assert.equal(new Set(answers.map(({ battle }) => battle.name)).size, 1);
  assert.deepEqual(new Set(answers.map(({ comparison }) => comparison.load?.loop)).size, 1);
  const series = ["nginx-idle", "idle-tls"].map((battle, i) => ({
    title: battle,
    battle,
    question: "memory-per-connection",
    measure: "proxy_memory_mean_usage_bytes",
    scheme: (["ws", "wss"] as const)[i],
  }));
  const charts = { joined: { title: "Joined", axis: "", series } };
  assert.throws(() => chartsOf(battles, { ...pages, charts }), /"Joined" joins two battles/);
});

test("a second run of a battle changes no claim, and is what its answers are of", () => {
  const later = battles.map((battle) => {
    const { name, runs: pooled, earlier } = battle;
    const [run] = pooled;
    // One more of these changes what all of them say together.
    if (pooled.length > 1) return battle;
    const comparisons = { ...run.comparisons, startedAt: "2030-01-01T00:00:00Z" };
    const next = { ...run, folder: `${name}/2030-01-01`, comparisons };
    const both = battleOf(name, [next, run, ...earlier]);
    // A third one would be pooled with them, so it takes the place of the second.
    return both.runs.length > 1 ? battleOf(name, [next, ...earlier]) : both;
  });
  assert.equal(claimsPage(PROJECT, later), made["published/CLAIMS.md"]);
  const asked = { battle: "proxies", question: "cpu_us_per_connection", scheme: "ws" as const };
  const [answer] = answersTo(later, asked);
  assert.equal(reportOf(answer.battle), "proxies/2030-01-01/report.md");
});

test("several runs of the six answer before one run of every proxy", () => {
  const loop = { question: "cpu_us_per_connection", scenario: "short-lived" };
  for (const scheme of ["ws", "wss"] as const) {
    const [first, ...others] = answersTo(battles, { ...loop, scheme });
    const proxies = ({ comparison }: Answer) => proxiesIn(comparison).length;
    assert.ok(first.battle.runs.length >= LEAST_RUNS);
    assert.ok(others.some((other) => proxies(other) > proxies(first)));
  }
});

test("of three runs the answers are pooled, and so are its report and the claims", () => {
  const three = battles
    .filter(({ name }) => ["latency", "balancerbattle"].includes(name))
    .map(({ name, runs: [run] }) => {
      const at = (day: string) => {
        const comparisons = { ...run.comparisons, startedAt: `${day}T00:00:00Z` };
        return { ...run, comparisons };
      };
      return battleOf(name, ["2030-01-03", "2030-01-02", "2030-01-01"].map(at));
    });
  const asked = { question: "cpu_us_per_connection", scheme: "ws" as const };
  const newest = battles.find(({ name }) => name === "latency")?.runs[0] ?? assert.fail();
  const [before] = answersTo([battleOf("latency", [newest])], { ...asked, battle: "latency" });
  const [answer] = answersTo(three, { ...asked, battle: "latency" });
  assert.equal(whenOf(answer.battle), "3 runs until 2030-01-03");
  assert.equal(
    ratioIn(answer, "haproxy", "nginx")?.toFixed(6),
    figureRatio(before, "haproxy", "nginx").toFixed(6),
  );
  const report = pooledReport(answer.battle);
  assert.equal(reportOf(answer.battle), "latency/report.md");
  const at = basename(answer.battle.runs[0].folder);
  assert.equal(report.split(`\n- [${at}](${at}/report.md)`).length - 1, 3);
  assert.match(report, /How far the runs differ/);
  assert.match(report, / 0\.0 % \(\d+\.\d %\) /);
  assert.doesNotMatch(report, /undefined|NaN|\bnull\b/);
  assert.match(claimsPage(PROJECT, three), /\]\(balancerbattle\/report\.md\)/);
});

test("what a proxy adds is an upper end where it may be nothing; slopes name their counts", () => {
  const added = (low: number, high: number) => {
    const [answer] = answersTo(battles, { question: "echo-at-rate", scheme: "ws" });
    const figure = answer.comparison.figures[0];
    const estimate = { value: 0.47, low, high, basis: "ci95" as const };
    return addedText(answer, { ...figure, extra: { added: estimate } });
  };
  assert.deepEqual([added(0.1, 0.9), added(-0.05, 1.07)], ["0.5 ms", "≤ 1.1 ms"]);
  const [idle] = answersTo(battles, { battle: "idle-tls", question: "memory-per-connection" });
  assert.equal(countsIn(idle), "1,000 to 9,000");
});

test("links of README and the pages lead somewhere in the repository", () => {
  for (const [from, text] of Object.entries(made))
    for (const [, link, anchor] of text.matchAll(/\]\(([^)#:]+\.md)#([^)]+)\)/g)) {
      const file = join(dirname(from), link);
      const target = made[file] ?? readFileSync(join(PROJECT, file), "utf8");
      const anchors = [...target.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));
      assert.ok(anchors.includes(anchor), `${from} leads to ${link}#${anchor}`);
    }
  for (const [name, text] of Object.entries(made).filter(([name]) => !name.endsWith(".svg"))) {
    const words = text.replace(/<script>.*<\/script>/s, "");
    const links = [...words.matchAll(/(?:\]\(|href="|src=")([^)"#]+)/g)].map(([, link]) => link);
    const pooled = battles.find(({ name: battle }) => name === `published/${battle}/report.md`);
    if (pooled) assert.equal(links.length, runsOf([pooled]).length, name);
    else assert.ok(links.length > 3, name);
    const inside = links.filter((link) => !/^https?:/.test(link));
    const broken = inside.filter((link) => !existsSync(join(PROJECT, dirname(name), link)));
    assert.deepEqual(broken, [], name);
  }
});

test("the matrix of capabilities has the rows of today, of all common proxies", () => {
  const page = readFileSync(join(PUBLISHED, "CAPABILITIES.md"), "utf8");
  const isIn = (text: string) => page.includes(text);
  for (const { title } of Object.values(CAPABILITIES)) assert.ok(isIn(`\n| ${title}`), title);
  for (const title of ["Caddy", "Envoy", "HAProxy", "http-proxy", "nginx", "Traefik"])
    assert.ok(isIn(`| ${title} |`), title);
});

test("an outcome of a claim names a setting where there are several, and no interval that reads as its value", () => {
  const page = made["published/CLAIMS.md"];
  assert.doesNotMatch(page, / at [(,|]|[A-Z]{4}_?[A-Z]+=\d/);
  assert.doesNotMatch(page, /([\d,.]+) (?:MB|kB) \(\1(?:[ )]|–\1)/);
});

test("each question of pages.yaml has an answer", () => {
  const questions = pages.groups.flatMap(({ questions }) => questions);
  assert.equal(questions.filter(({ card }) => card).length, 7);
  const unanswered = questions.filter(({ from }) => answersTo(battles, from).length === 0);
  assert.deepEqual(unanswered, []);
});

test("a template's place that leads nowhere, or to several comparisons, is an error", () => {
  const fill = (text: string) => filledIn(text, { battles, pages, folder: "" });
  assert.equal(fill("{{ratio proxies cpu_us_per_connection ws nginx nginx}}"), "1.00×");
  assert.notEqual(
    fill("{{ratio quick/2026-11-25 cpu_us_per_connection ws haproxy nginx}}"),
    fill("{{ratio quick cpu_us_per_connection ws haproxy nginx}}"),
  );
  assert.match(
    fill("{{value idle-tls memory-per-connection measure=proxy_memory_mean_usage_bytes nginx}}"),
    /^\d+ kB$/,
  );
  for (const [place, message] of [
    ["{{nothing}}", /expected one of/],
    ["{{ratio nosuch cpu_us_per_connection ws nginx haproxy}}", /0 comparisons/],
    [
      "{{ratio latency cpu_us_per_connection nginx haproxy}}",
      /4 comparisons.*name battle, measure/,
    ],
    ["{{ratio proxies cpu_us_per_connection ws nginx nosuch}}", /no figure of nginx or nosuch/],
    ["{{value proxies cpu_us_per_connection ws}}", /expected 1 proxies/],
    ["{{chart nosuch}}", /no chart nosuch/],
    ["{{report nosuch}}", /no published battle nosuch/],
  ] as const)
    assert.throws(() => fill(place), message, place);
});

test("a row of published/README.md: common names first, the others counted, ends of spans, what a tie may hide", () => {
  const rows: [Parameters<typeof answersTo>[1], RegExp][] = [
    [
      { battle: "proxies", question: "cpu_us_per_connection", scheme: "ws" },
      /^\*\*HAProxy, nginx, [^,*]+\*\* and \d+ more, \d+–\d+ µs, tied within \d\.\d\d×$/,
    ],
    [{ battle: "idle-tls", question: "memory-per-connection" }, /^\*\*HAProxy\*\*, [\d.]+ kB$/],
    [{ question: "lost", event: "kill-worker" }, /^not ranked, [\d.]+–100 %$/],
    [{ question: "capacity", scheme: "wss" }, /^not ranked, [\d.]+–[\d.]+$/],
    [
      { battle: "survival", question: "kept", event: "reload-10" },
      /^no measurable difference, 10 of 10$/,
    ],
    [{ question: "tls", battle: "proxies" }, /^[\d.]+–[\d.]+×$/],
    [{ question: "trend", measure: "memory_per_hour" }, /^\*\*[^*]+\*\*, -[\d.]+ to 0 kB$/],
  ];
  for (const [from, text] of rows)
    assert.match(bestText(answersTo(battles, from)[0], pages.headline.proxies), text);
  const oldest = battles.find(({ name }) => name === "soak")?.earlier.at(-1) ?? assert.fail();
  const trend = { question: "trend", measure: "memory_per_hour" };
  const [calm] = answersTo([battleOf("soak", [oldest])], trend);
  assert.equal(bestText(calm, pages.headline.proxies), "none grows");
  // The middle of two events, or of two rates, is nothing that happened.
  const [crash] = answersTo(battles, { question: "lost", event: "kill-worker" });
  const ends = proxiesIn(crash.comparison).flatMap(({ estimate }) => estimate?.low ?? []);
  const [least] = bestText(crash, []).match(/[\d.]+/) ?? [];
  assert.equal(Number(least), Number(Math.min(...ends).toPrecision(3)));
});

test("a text flows around figures that are shorter than their places; what is no prose stays", () => {
  const place = "{{ratio proxies cpu_us_per_connection ws caddy nginx}}";
  const fill = (text: string) => filledIn(text, { battles, pages, folder: "" });
  assert.match(
    fill(`One\n${place}\ntwo.\n\n\n- a\n  ${place}\n- b\n`),
    /^One [\d.]+× two\.\n\n\n- a [\d.]+×\n- b\n$/,
  );
  const lines = fill(`${"word ".repeat(60)}${place}`).split("\n");
  assert.ok(lines.length === 3 && lines.every((line) => line.length <= 120));
  for (const text of ["as\nit was\n\nhere", "| a\nb |\n", "```sh\na\nb\n```\n"])
    assert.equal(fill(`${text}`), text);
  assert.equal(fill(`| a\n| ${place} |`).split("\n").length, 2);
});

test("who leads: one rank; nobody in an unconfirmed search or in ratios", () => {
  const common = pages.headline.proxies;
  const leaders = (from: Parameters<typeof answersTo>[1]) =>
    leadersOf(answersTo(battles, from)[0], common);
  const cpu = { battle: "proxies", question: "cpu_us_per_connection" };
  assert.deepEqual(leaders({ ...cpu, scheme: "ws" }).sort(), ["haproxy", "nginx"]);
  assert.deepEqual(leaders({ ...cpu, scheme: "wss" }).sort(), ["envoy", "haproxy", "nginx"]);
  assert.deepEqual(leaders({ question: "capacity", scheme: "ws" }), []);
  assert.deepEqual(leaders({ question: "tls", battle: "proxies" }), []);
  assert.deepEqual(
    leaders({ question: "slow-readers", measure: "stalled_bytes", scheme: "ws" }).sort(),
    ["haproxy", "nginx"],
  );
});

test("who ties only as its rounds differ much is no leader, and not called equal", () => {
  // A run in which Caddy and http-proxy were told apart from the best.
  const told = runs.find(({ folder }) => folder === "latency/2026-11-27") ?? assert.fail();
  const from = { question: "echo-at-rate", measure: "echo_latency_ms_p99" };
  const [answer] = answersTo([battleOf("latency", [told])], {
    ...from,
    scheme: "ws",
    scenario: "arrivals",
  });
  const figures = answer.comparison.figures.map((figure) =>
    figure.proxy === "http-proxy" ? { ...figure, rank: 1 } : figure,
  );
  const noisy = { ...answer, comparison: { ...answer.comparison, figures } };
  assert.ok(!leadersOf(noisy, ["caddy", "envoy", "http-proxy"]).includes("http-proxy"));
  assert.match(ratioText(noisy, "http-proxy", "envoy"), /^1\.\d+×$/);
});

test("nothing is a multiple of what is 0 or less, such as memory that did not grow", () => {
  const from = { question: "slow-readers", measure: "stalled_bytes" };
  const [answer] = answersTo(battles, {
    ...from,
    scheme: "ws",
    parameters: { MESSAGE_BYTES: 1024 },
  });
  const ofNginx = (value: number) => {
    const figures = answer.comparison.figures.map((figure) =>
      figure.proxy === "nginx" ? { ...figure, rank: null, estimate: valueOf(value) } : figure,
    );
    const told = { ...answer, comparison: { ...answer.comparison, figures } };
    return ["http-proxy", "nginx"].map((name) => ratioText(told, name, "nginx"));
  };
  assert.deepEqual(
    [ofNginx(-2410), ofNginx(0)],
    [
      ["", ""],
      ["", ""],
    ],
  );
  assert.match(ofNginx(2410).join(" "), /^[\d,]+× 1×$/);
  assert.doesNotMatch(made["published/index.html"], />-[\d.,]+×</);
});

test("README's table says why a figure is missing, and marks who ties with the best", () => {
  const headline = { ...pages.headline, proxies: [...pages.headline.proxies, "apache"] };
  const { rows } = headlineOf(battles, { ...pages, headline });
  const cells = Object.fromEntries(rows.map(({ proxy, cells }) => [proxy, cells]));
  assert.equal(cells["http-proxy"][4].text, "no reload");
  // Of the ways in which Envoy takes a new configuration, that which drops nobody is shown.
  assert.deepEqual(cells.envoy[4], { text: "none", best: cells.haproxy[4].best, note: "²" });
  // It has no worker that could die alone: the death of all its processes is shown.
  assert.equal(cells.envoy[5].text, "all");
  const { apache, ...common } = cells;
  const holes = Object.values(common)
    .flat()
    .filter(({ text }) => text === "–");
  assert.equal(holes.length, 0);
  assert.equal(apache[3].text, "–");
  assert.deepEqual(
    ["nginx", "envoy"].map((proxy) => cells[proxy][1].text),
    ["1×", "≈ 1×"],
  );
  const [secured] = answersTo(battles, pages.headline.columns[1].from);
  assert.equal(ratioText(secured, "caddy", "nginx"), cells.caddy[1].text);
  assert.match(headlineMarkdown(headlineOf(battles, pages)), /^\| \| RAM per idle TLS connection/);
});

test("without a published run, or without what they show, there are no pages", () => {
  assert.deepEqual(makePages(join(PROJECT, "services")), {});
});
