/**
 * The page over all published runs, in a real browser: what a reader does with it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { costModel, costsOf } from "../../src/analyse/cost-model.ts";
import { costRun } from "../../src/analyse/testing/costs.ts";
import { site } from "../../src/commands/site.ts";
import { makeSmallProject } from "../../src/commands/testing/small-project.ts";
import { calculatorOf } from "../../src/report/cost-calculator.ts";
import { readBattles, reportOf } from "../../src/report/published.ts";
import type { BrowserContextOptions } from "playwright-core";
import type { Load } from "../../src/analyse/cost-model.ts";
import type { Comparisons } from "../../src/model/comparison.ts";

const PUBLISHED = join(import.meta.dirname, "../../../../published");
const ADDRESS = pathToFileURL(join(PUBLISHED, "index.html")).href;

const CARDS = [
  "RAM per idle connection",
  "CPU per new connection",
  "CPU per message, up to 1 KiB",
  "Added latency, echo p99 at a set rate",
  "Max new connections/s with p99 ≤ 50 ms on 0.25 core",
  "Connections dropped when one process is killed",
  "CPU per new TLS connection, times plain",
];

/** `34.3 kB`, `1,040 µs`, `≤ 1.1 ms` in the measure's own unit, which is bytes, µs, ms, %, times or a rate. */
function amountIn(text: string): number[] {
  const factor = / MB$/.test(text) ? 1e6 : / kB$/.test(text) ? 1e3 : 1;
  return text.split("–").map((end) => factor * Number(end.replace(/[^\d.]/g, "")));
}

test("a browser shows the page over all published runs, and what is chosen in it", async (t) => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => browser.close());

  async function open(options?: BrowserContextOptions) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(ADDRESS)) faults.push(request.url());
    });
    await page.goto(ADDRESS);
    return { page, faults };
  }

  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await t.test(`${width} px, ${colorScheme}: it fits, and loads nothing`, async () => {
        const { page, faults } = await open({ viewport: { width, height: 900 }, colorScheme });
        for (const summary of await page.locator("details.group > summary").all())
          await summary.click();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        assert.deepEqual(faults, []);
        assert.doesNotMatch(await page.innerText("body"), /\b(undefined|NaN|null)\b/);
        await page.context().close();
      });
    }
  }

  await t.test("README's table first, then seven cards, of the common proxies", async () => {
    const { page } = await open();
    assert.equal(await page.locator("table.headline tbody tr").count(), 6);
    assert.deepEqual(await page.locator("section.card:visible h2").allInnerTexts(), CARDS);
    const named = page.locator("section.card table.bars tr:visible");
    const names = await named.evaluateAll((rows) => [
      ...new Set(rows.map((row) => row.getAttribute("data-proxy"))),
    ]);
    assert.deepEqual(names.sort(), ["caddy", "envoy", "haproxy", "http-proxy", "nginx", "traefik"]);
    // The longest bar fills its cell with its interval, whoever is chosen.
    await page.uncheck('[name=proxy][value="http-proxy"]');
    const longest = await page
      .locator("section.card table.bars")
      .first()
      .locator("tr:visible td.bar span")
      .evaluateAll((bars) =>
        Math.max(...bars.map((bar) => bar.clientWidth / (bar.parentElement?.clientWidth ?? 1))),
      );
    assert.ok(longest > 0.6 && longest <= 1, String(longest));
    await page.context().close();
  });

  await t.test("figures and bars of the cards are those of comparisons.json", async () => {
    const { page } = await open();
    const tables = await page.locator("section.card table.bars").evaluateAll((all) =>
      all.map((table) => ({
        report: table.querySelector("caption a")?.getAttribute("href"),
        scheme: table.getAttribute("data-scheme"),
        card: table.closest("section")?.querySelector("h2")?.textContent ?? "",
        most: parseFloat((table as HTMLElement).style.getPropertyValue("--most")),
        rows: [...table.querySelectorAll("tr")]
          .filter((row) => row.querySelector(".bar"))
          .map((row) => ({
            proxy: row.getAttribute("data-proxy"),
            text: row.querySelector(".bar + td")?.textContent ?? "",
            bar: parseFloat(
              row.querySelector<HTMLElement>(".bar span")?.style.getPropertyValue("--value") ?? "",
            ),
          })),
      })),
    );
    assert.ok(tables.length >= 10);
    const battles = readBattles(PUBLISHED);
    for (const { report, scheme, card, rows } of tables) {
      const { comparisons } =
        battles.find((battle) => reportOf(battle) === report)?.comparisons ?? assert.fail(card);
      // Some comparison of that battle and scheme has exactly these figures.
      const isOf = ({ figures, scheme: own }: Comparisons["comparisons"][number]) =>
        own === scheme &&
        rows.every(({ proxy, text, bar }) => {
          const figure = figures.find((one) => one.proxy === proxy);
          const shown = figure?.extra.added ?? figure?.estimate;
          if (!shown) return false;
          const { value, low, high } = shown;
          const ends = [value, low, high].flatMap((end) => end ?? []);
          // What a proxy adds has one digit or two.
          const off = figure?.extra.added ? 0.1 : 0.01;
          const isNear = (a: number) => ends.some((b) => Math.abs(a - b) <= off * Math.abs(b));
          return amountIn(text).every(isNear) && isNear(bar);
        });
      assert.ok(rows.length > 1, card);
      assert.ok(comparisons.some(isOf), `${card}, ${scheme}: ${JSON.stringify(rows)}`);
    }
    await page.context().close();
  });

  await t.test(
    "proxies and scheme are chosen, and whoever is sent the address sees the same",
    async () => {
      const { page } = await open();
      await page.selectOption("[name=scheme]", "wss");
      await page.uncheck('[name=proxy][value="http-proxy"]');
      const tables = page.locator("section.card table.bars:visible");
      const shown = await tables.count();
      assert.ok(shown > 3);
      for (const caption of await tables.locator("caption b").allInnerTexts())
        assert.equal(caption, "TLS");
      assert.equal(await page.locator('tr[data-proxy="http-proxy"]:visible').count(), 0);

      const { page: other } = await open();
      await other.goto("about:blank");
      await other.goto(page.url());
      assert.equal(await other.locator("section.card table.bars:visible").count(), shown);
      assert.equal(await other.isChecked('[name=proxy][value="http-proxy"]'), false);

      const link = tables.locator("caption a").first();
      const battle = (await link.innerText()).split(",")[0];
      assert.match(
        (await link.getAttribute("href")) ?? "",
        new RegExp(`^${battle}(/\\d{4}[\\d-]+)?/report\\.md$`),
      );
      await page.context().close();
      await other.context().close();
    },
  );

  await t.test("without script all of it stands there", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    assert.equal(await page.locator("section.card:visible").count(), 7);
    assert.equal(await page.locator("form:visible").count(), 0);
    for (const summary of await page.locator("details.group > summary").all())
      await summary.click();
    assert.ok((await page.locator("section.question:visible").count()) > 1);
    const rows = page.locator("tr[data-proxy]");
    assert.ok((await rows.locator("visible=true").count()) > 0);
    assert.equal(await rows.locator("visible=false").count(), 0);
    await page.context().close();
  });

  await t.test(
    "./bench site: on a phone in the dark, without script, by its own links",
    async () => {
      const project = mkdtempSync(join(tmpdir(), "site-"));
      t.after(() => rmSync(project, { recursive: true }));
      makeSmallProject(project);
      await site(project, { directory: "site" }, () => {});
      const context = await browser.newContext({
        ...{ viewport: { width: 390, height: 844 }, colorScheme: "dark", javaScriptEnabled: false },
      });
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(project, "site/index.html")).href);
      for (const [link, title] of [
        ["Findings", "Findings"],
        ["Claims of others", "Claims of others"],
        ["All results", "Published runs"],
        ["soak", "An hour at a steady rate"],
        ["ws-proxy-bench", "What does a reverse proxy cost your WebSockets?"],
        ["Findings", "Findings"],
      ]) {
        await page.getByRole("link", { name: link }).first().click();
        assert.equal(await page.title(), title);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, title);
        const [red] = await page.evaluate(() =>
          getComputedStyle(document.body).backgroundColor.match(/\d+/g)!.map(Number),
        );
        assert.ok(red < 60, `${title} is dark`);
      }
      const image = page.locator('img[src="charts/added.svg"]');
      // Rejects when it cannot be shown; a busy machine may not have loaded it yet.
      await image.evaluate((one: HTMLImageElement) => one.decode());
      await context.close();
    },
  );
});

test("a browser computes what a load costs, as ./bench cost does", async (t) => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => browser.close());
  const runs = [costRun("mixed"), costRun("cost")];
  const { html, script } = calculatorOf(runs);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.setContent(`<body>${html}<script>${script}</script></body>`);

  const model = costModel(runs[1]);
  const number = (value = Number.NaN) =>
    value.toLocaleString("en", { maximumSignificantDigits: 3 });
  const expected = (load: Load) =>
    costsOf(model, load)
      .toSorted((a, b) => Number(a.cores?.value) - Number(b.cores?.value))
      .map(({ title, cores, bytes }) =>
        [title, number(cores?.value), number((bytes?.value ?? 0) / 2 ** 30)]
          .concat("12 of 12", "12 of 12")
          .join("\t"),
      );
  const shown = () => page.locator("tbody tr").allInnerTexts();
  const first = { connections: 2_000, messagesPerSecond: 330, messageBytes: 512, newPerSecond: 5 };
  assert.deepEqual(await shown(), expected({ scheme: "ws", ...first }));
  assert.equal(await page.locator("output").innerText(), "");
  await page.fill("[name=connections]", "20000");
  assert.equal(
    await page.locator("output").innerText(),
    "Beyond what was measured: Connections held: up to 4,000.",
  );

  await page.check("[name=tls]");
  await page.fill("[name=connections]", "3000");
  await page.fill("[name=messagesPerSecond]", "12.5");
  assert.deepEqual(
    await shown(),
    expected({ scheme: "wss", ...first, connections: 3000, messagesPerSecond: 12.5 }),
  );
  assert.equal(await page.locator("output").innerText(), "");
  // What is no number yet changes nothing.
  const before = await shown();
  await page.fill("[name=newPerSecond]", "");
  assert.deepEqual([await shown(), faults], [before, []]);

  assert.deepEqual(calculatorOf([costRun("mixed")]), { html: "", script: "" });
});
