import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { rateResults } from "../analyse/testing/rates.js";
import { results } from "../analyse/testing/results.js";
import { publishedRun, RUNS } from "./testing/published.js";
import { renderClaimsPage, renderPublishedPage } from "./published-page.js";
import { renderPublishedReadme } from "./published-readme.js";

const PAGE = renderPublishedPage(RUNS);

/** @param {string} [hash] */
function opened(hash = "") {
  const { window } = new JSDOM(PAGE, {
    ...{ runScripts: "dangerously", url: `https://bench.test/index.html${hash}` },
  });
  const { document } = window;
  const shown = () =>
    [...document.querySelectorAll("section.contest")]
      .filter((section) => !section.hasAttribute("hidden"))
      .map((section) => ({
        question: section.getAttribute("data-question"),
        scheme: section.getAttribute("data-scheme"),
        proxies: [...section.querySelectorAll("tbody tr:not([hidden])")].map((row) =>
          row.getAttribute("data-proxy"),
        ),
      }));
  /** @type {(name: string, value: string) => void} */
  const choose = (name, value) => {
    const select = /** @type {HTMLSelectElement} */ (document.querySelector(`[name=${name}]`));
    select.value = value;
    select.dispatchEvent(new window.Event("change", { bubbles: true }));
  };
  return { window, document, shown, choose };
}

test("without its script, every question of every run stands there as a table, and nothing can be chosen", () => {
  const { document } = new JSDOM(PAGE).window;
  assert.ok(document.querySelector("form.choose")?.hasAttribute("hidden"));
  assert.equal(document.querySelector("section[hidden], tr[hidden]"), null);
  const titles = [...document.querySelectorAll("section.question > h2")].map((h) => h.textContent);
  for (const title of [
    "CPU per connection",
    "Handshake p99 at a set rate",
    "Memory a held connection",
    "TLS to plain, CPU per connection",
    "Most handshakes a second under a promise",
    "Connections lost, reload",
  ])
    assert.ok(titles.includes(title), `${title}: ${titles.join(", ")}`);
  assert.equal(new Set(titles).size, titles.length);
});

test("each table has its run, its day, what its figures are held against, and a link to its report", () => {
  const { document } = new JSDOM(PAGE).window;
  for (const contest of document.querySelectorAll("section.contest")) {
    const note = contest.querySelector(".note");
    const link = note?.querySelector("a");
    assert.match(link?.getAttribute("href") ?? "", /^[a-z]+\/report\.html#[a-z-]+$/);
    assert.match(link?.textContent ?? "", /^[a-z]+ of \d{4}-\d\d-\d\d$/);
    assert.match(note?.textContent ?? "", /round/);
  }
  const notes = [...document.querySelectorAll("section.contest")].map((contest) =>
    [contest.querySelector("h2, h3"), contest.querySelector(".note")]
      .map((part) => part?.textContent ?? "")
      .join(" ")
      .replace(/\s+/g, " "),
  );
  const of = (/** @type {string} */ name) => notes.filter((note) => note.includes(` ${name} of `));
  assert.ok(of("reference").some((note) => note.includes("× reference: CPU time to that")));
  assert.ok(of("short").some((note) => note.includes("No reference proxy shared the load")));
});

test("a question and a run that tell of most proxies are first, be they older", () => {
  const few = results({ schemes: ["ws"], proxies: { nginx: {}, haproxy: {} } });
  const many = results({ schemes: ["ws"], proxies: { nginx: {}, haproxy: {}, "http-proxy": {} } });
  const runs = [
    publishedRun("messages", rateResults({ scenarios: ["steady"] })),
    publishedRun("few", few),
    publishedRun("many", many),
  ];
  const { document } = new JSDOM(renderPublishedPage(runs)).window;
  const [asked, ...others] = document.querySelectorAll("section.question");
  const titleOf = (/** @type {Element} */ one) => one.querySelector("h2")?.textContent;
  assert.equal(titleOf(asked), "CPU per connection");
  assert.ok(others.map(titleOf).includes("CPU per message"));
  const links = [...asked.querySelectorAll(".note a")].map(({ textContent }) => textContent);
  assert.deepEqual(
    links.map((text) => text?.split(" ")[0]),
    ["many", "few"],
  );
});

test("bars are drawn, rows have the version that was measured, and no text is of nothing", () => {
  const { document } = new JSDOM(PAGE).window;
  assert.ok(document.querySelectorAll("table.contest svg.bar").length > 10);
  const text = document.querySelector("main")?.textContent ?? "";
  assert.doesNotMatch(text, /\b(undefined|NaN|null|Infinity)\b/);
  const rows = document.querySelectorAll('section.contest tr[data-proxy="nginx"] th small');
  assert.ok([...rows].some(({ textContent }) => /^nginx \d/.test(textContent ?? "")));
});

test("question, scheme and proxies are chosen, and the choice is in the address", () => {
  const { window, document, shown, choose } = opened();
  // The first question, which is not all of the page.
  assert.ok(shown().every(({ question }) => question === shown()[0].question));
  choose("question", "CPU per connection");
  choose("scheme", "tls");
  assert.deepEqual(
    shown().map(({ question, scheme }) => [question, scheme]),
    [["CPU per connection", "tls"]],
  );
  const box = /** @type {HTMLInputElement} */ (document.querySelector('[value="http-proxy"]'));
  box.checked = false;
  box.dispatchEvent(new window.Event("change", { bubbles: true }));
  assert.ok(!shown()[0].proxies.includes("http-proxy") && shown()[0].proxies.includes("nginx"));
  const again = opened(window.location.hash);
  assert.deepEqual(again.shown(), shown());
});

test("what no run has a figure for is said, and all can be chosen again", () => {
  const { document, shown } = opened();
  const press = (/** @type {string} */ name) =>
    /** @type {HTMLButtonElement} */ (document.querySelector(`button[name=${name}]`)).click();
  press("none");
  assert.deepEqual(shown(), []);
  assert.equal(document.querySelector(".nothing")?.hasAttribute("hidden"), false);
  press("all");
  assert.ok(shown().length > 0);
  assert.equal(document.querySelector(".nothing")?.hasAttribute("hidden"), true);
});

test("an address that names what there is not is read as far as it can be", () => {
  assert.ok(opened("#question=nonsense&scheme=wsss").shown().length > 0);
  assert.ok(opened("#runs").shown().length > 0);
});

test("a table is sorted by what its header is pressed for", () => {
  const { document } = opened();
  const table = document.querySelector("section.contest:not([hidden]) table");
  const button = /** @type {HTMLButtonElement} */ (table?.querySelector("th button"));
  const names = () => [...(table?.querySelectorAll("tbody th") ?? [])].map((th) => th.textContent);
  button.click();
  const ascending = names();
  assert.deepEqual(
    ascending,
    [...ascending].sort((a, b) => (a ?? "").localeCompare(b ?? "")),
  );
  button.click();
  assert.deepEqual(names(), ascending.reverse());
});

/** @type {Parameters<typeof renderClaimsPage>[0]} */
const CLAIMS = [
  { claim: "A <b> is | fast", by: "S, 2013", state: "holds", today: "2 times", run: "short" },
  { claim: "B", by: "S, 2013", state: "advice", today: "A matter of taste.", run: "" },
];

test("claims have a row each, with the report that tells it; markup in a claim is none", () => {
  const { document } = new JSDOM(renderClaimsPage(CLAIMS)).window;
  const rows = [...document.querySelectorAll("tbody tr")];
  assert.equal(rows.length, 2);
  assert.equal(rows[0].querySelector("td")?.textContent?.trim(), "A <b> is | fast");
  assert.equal(rows[0].querySelector("a")?.getAttribute("href"), "short/report.html#published");
  assert.equal(rows[1].querySelector("a"), null);

  const readme = renderPublishedReadme(RUNS, CLAIMS);
  assert.ok(
    readme.includes(
      "| A \\<b\\> is \\| fast | S, 2013 | **holds** | 2 times | [short](short/report.md) |",
    ),
  );
  for (const { name } of RUNS) assert.ok(readme.includes(`[${name}](${name}/report.md)`));
});
