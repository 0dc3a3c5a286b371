/**
 * The page over all published runs, in a real browser: what a reader does with it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { chromium } from "playwright-core";
import type { BrowserContextOptions } from "playwright-core";

const PUBLISHED = join(import.meta.dirname, "../../../../published");
const ADDRESS = pathToFileURL(join(PUBLISHED, "index.html")).href;

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
    assert.equal(await page.locator("section.card:visible").count(), 7);
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
      const run = (await link.innerText()).split(",")[0];
      assert.equal(await link.getAttribute("href"), `${run}/report.md`);
      await page.context().close();
      await other.context().close();
    },
  );

  await t.test("without script all of it stands there", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    assert.equal(await page.locator("section.card:visible").count(), 7);
    assert.ok((await page.locator('tr[data-proxy="nghttpx"]:visible').count()) > 0);
    assert.equal(await page.locator("form").isVisible(), false);
    await page.locator("details.group > summary").first().click();
    assert.ok((await page.locator("section.question:visible").count()) > 1);
    await page.context().close();
  });
});
