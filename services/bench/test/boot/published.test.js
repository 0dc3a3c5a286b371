/**
 * The page over all published runs, in a real browser: what a reader does with it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { chromium } from "playwright-core";

const PUBLISHED = join(import.meta.dirname, "../../../../published");
const ADDRESS = pathToFileURL(join(PUBLISHED, "index.html")).href;

test("a browser shows the page over all published runs, and what is chosen in it", async (t) => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => browser.close());

  /** @param {import("playwright-core").BrowserContextOptions} [options] */
  async function open(options) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    /** @type {string[]} */
    const faults = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(ADDRESS)) faults.push(request.url());
    });
    await page.goto(ADDRESS);
    return { page, faults };
  }

  for (const width of [1280, 390]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await t.test(`${width} px, ${colorScheme}: it fits, and loads nothing`, async () => {
        const { page, faults } = await open({ viewport: { width, height: 900 }, colorScheme });
        await page.selectOption("[name=question]", "");
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        assert.deepEqual(faults, []);
        assert.doesNotMatch(await page.innerText("body"), /\b(undefined|NaN|null)\b/);
        await page.context().close();
      });
    }
  }

  await t.test(
    "question, scheme and proxies are chosen, rows sorted, and a report followed",
    async () => {
      const { page } = await open();
      await page.selectOption("[name=question]", "CPU per connection");
      await page.selectOption("[name=scheme]", "tls");
      await page.uncheck('[name=proxy][value="http-proxy"]');
      const contests = page.locator("section.contest:visible");
      assert.ok((await contests.count()) > 0);
      for (const heading of await contests.locator("h3").allInnerTexts())
        assert.match(heading, /^wss /);
      const first = contests.first();
      // What has no figure is last, whichever way the others are sorted.
      const names = () =>
        first
          .locator('tbody tr:visible:has(td[data-value]:not([data-value=""]))')
          .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-proxy")));
      const before = await names();
      assert.ok(before.includes("nginx") && !before.includes("http-proxy"));
      assert.ok((await first.locator("svg.bar:visible").count()) > 1);
      await first.getByRole("button", { name: "× best" }).click();
      await first.getByRole("button", { name: "× best" }).click();
      assert.deepEqual(await names(), before.toReversed());

      // Whoever is sent the address sees the same.
      const { page: other } = await open();
      await other.goto("about:blank");
      await other.goto(page.url());
      assert.equal(await other.locator("section.contest:visible").count(), await contests.count());
      assert.equal(await other.isChecked('[name=proxy][value="http-proxy"]'), false);

      const link = first.locator(".note a");
      const run = (await link.innerText()).split(" ")[0];
      await link.click();
      await page.waitForURL((url) => url.pathname.endsWith(`/${run}/report.html`));
      assert.ok(await page.locator("#verdicts").isVisible());
      await page.context().close();
    },
  );

  await t.test("without script all of it stands there as tables", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const all = page.locator("section.contest");
    assert.ok((await all.count()) > 5);
    assert.equal(await page.locator("section.contest:visible").count(), await all.count());
    assert.equal(await page.locator("form.choose").isVisible(), false);
    await page.context().close();
  });
});
