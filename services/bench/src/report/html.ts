/**
 * Blocks as one page: it opens from disk, without a network and without script.
 */
import { classOf, html, trusted, type Html } from "./markup.ts";
import type { Block } from "./block.ts";
import type { Look } from "./chart.ts";
import { CHART_STYLE, keyMark, keyMarks, PHONE } from "./chart.ts";
import type { Cell, Table } from "./table.ts";

interface PageOptions {
  title: string;
  /** By name of the proxy. */
  looks: Record<string, Look>;
  footer?: string;
}

export function htmlOf(blocks: Block[], { title, looks, footer = "" }: PageOptions): string {
  const page = new Page(looks);
  const body = blocks.map((block) => page.block(block));
  const contents = page.headings.filter(({ level }) => level === 2);
  const nav = html`<nav aria-label="Contents">
    ${contents.map(({ id, text }) => html`<a href="#${id}">${text}</a> `)}
  </nav>`;
  // The contents stand before the first chapter.
  const first = blocks.findIndex((block) => block.kind === "heading" && block.level === 2);
  const at = first < 0 ? blocks.length : first;
  return `<!doctype html>\n${html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${trusted(STYLE + CHART_STYLE)}
      </style>
    </head>
    <body>
      ${trusted(keyMarks(looks))}
      <main>${body.slice(0, at)}${nav}${body.slice(at)}</main>
      ${footer && html`<footer><p>${footer}</p></footer>`}
    </body>
  </html>`}\n`;
}

class Page {
  readonly headings: { level: number; id: string; text: string }[] = [];
  private charts = 0;
  private readonly looks: PageOptions["looks"];

  constructor(looks: PageOptions["looks"]) {
    this.looks = looks;
  }

  block(block: Block): Html | string {
    switch (block.kind) {
      case "heading":
        return this.heading(block);
      case "text":
        return html`<p${classOf(block.tone)}>${rich(block.text)}</p>`;
      case "run":
        return html`<p class="run">${block.facts} · <code>${block.command}</code></p>`;
      case "beside":
        return html`<div class="beside">
          ${block.parts.map((part) => html`<div>${part.map((one) => this.block(one))}</div>`)}
        </div>`;
      case "code":
        return html`<pre><code>${block.text}</code></pre>`;
      case "list":
        return html`<ul class="flags">
          ${block.items.map(({ label, text }) => html`<li>${label && html`<b class="${label}">${label}</b> `}${rich(text)}</li>`)}
        </ul>`;
      case "table":
        return this.table(block.table);
      case "chart":
        return this.chart(block);
      case "values":
        return html`<details>
          <summary>${block.title}</summary>
          <dl>
            ${Object.entries(block.values).map(
              ([name, value]) =>
                html`<dt>${name}</dt>
                  <dd>${value === null ? "not readable" : String(value)}</dd>`,
            )}
          </dl>
        </details>`;
      case "download":
        return html`<p><a download="${block.name}" href="${block.href}">${block.text}</a></p>`;
      case "details":
        return html`<details>
          <summary>${block.summary}</summary>
          ${block.blocks.map((one) => this.block(one))}
        </details>`;
    }
  }

  private heading({ level, text }: Extract<Block, { kind: "heading" }>): Html {
    const base =
      text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "") || "part";
    const same = this.headings.filter(({ id }) => id === base || id.startsWith(`${base}--`)).length;
    const id = same > 0 ? `${base}--${same + 1}` : base;
    this.headings.push({ level, id, text });
    return html`${trusted(`<h${level} id="${id}">`)}${text}${trusted(`</h${level}>`)}`;
  }

  /** For a phone a wide chart is drawn again, not scaled, so that its text stays legible. */
  private chart({ title, draw, isLarge }: Extract<Block, { kind: "chart" }>): Html {
    const id = `chart-${++this.charts}`;
    const narrow =
      isLarge &&
      html`<div class="narrow">${trusted(draw({ id: `${id}-narrow`, width: PHONE }))}</div>`;
    return html`<figure>
      <figcaption>${title}</figcaption>
      <div${classOf(isLarge && "wide")}>${trusted(draw({ id }))}</div>
      ${narrow}
    </figure>`;
  }

  private table({ title, note, head, rows, footnotes = [] }: Table): Html {
    const label = title || head.map((column) => column.title).join(", ");
    const below = [note, ...footnotes].filter(Boolean);
    return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">
        <table>
          ${
            title &&
            html`<caption>
              ${title}
            </caption>`
          }
          <thead>
            <tr>
              ${head.map(
                ({ title: name, small, words }, i) =>
                  html`<th${classOf((i === 0 || words) && "words")} scope="col">
                    ${name}${small && html`<small>${small}</small>`}
                  </th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ([first, ...cells]) =>
                html`<tr${classOf(first.control && "control")}>
                  <th scope="row">${this.mark(first)}${first.text}</th>
                  ${cells.map((cell, i) => html`<td${classOf(head[i + 1].words && "words")}>${cellHtml(cell)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${below.map((text) => html`<p class="note">${text}</p>`)}`;
  }

  private mark({ proxy, control }: Cell): Html | false {
    const hasMark = proxy !== undefined && !control && proxy in this.looks;
    return hasMark && trusted(keyMark(proxy));
  }
}

function cellHtml({ text, small, best, worse }: Cell): Html {
  const shown = best
    ? html`<b>${text}</b>`
    : worse
      ? html`<span class="worse">${text}</span>`
      : text;
  return html`${shown}${small && html` <small>${small}</small>`}`;
}

/** What stands between two pairs of stars is bold; addresses are links. */
function rich(text: string): Html[] {
  return text.split(/(\*\*.*?\*\*|https:\/\/\S+)/).map((part) => {
    if (part.startsWith("https://")) return html`<a href="${part}">${part}</a>`;
    return part.startsWith("**") ? html`<b>${part.slice(2, -2)}</b>` : html`${part}`;
  });
}

export const STYLE = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2126; --muted: #59626b; --line: #dde1e5; --tint: #f4f6f7; --link: #0b5cad; --bad: #a8321a; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --ink: #e4e7ea; --muted: #a0a9b1; --line: #31373d; --tint: #1c2024; --link: #7fb8f0; --bad: #f2917b; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main, footer { max-width: 1080px; margin: 0 auto; padding: 24px 16px; overflow-wrap: break-word; }
h1 { font-size: 28px; line-height: 1.2; margin: 12px 0 16px; }
h2 { font-size: 22px; margin: 48px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 17px; margin: 28px 0 6px; }
p, ul { margin: 0 0 10px; max-width: 90ch; }
.lead { font-size: 18px; line-height: 1.4; }
.run { margin-top: 12px; max-width: none; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px 32px; }
a { color: var(--link); }
nav { margin: 16px 0; line-height: 1.7; }
nav a { margin-right: 14px; }
small, .note, footer { color: var(--muted); font-size: 13px; }
.warning { color: var(--bad); font-weight: 600; }
.worse { color: var(--bad); font-weight: 600; }
code { font: 13px/1.5 ui-monospace, monospace; padding: 2px 6px; background: var(--tint); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-width: 100%; margin: 6px 0 10px; }
.scroll:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; font-size: 14px; line-height: 1.35; }
caption { text-align: left; font-weight: 600; padding-bottom: 4px; }
th, td { padding: 5px 0 5px 18px; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { vertical-align: bottom; min-width: 76px; max-width: 170px; border-bottom-color: var(--muted); }
.words { text-align: left; max-width: 60ch; overflow-wrap: anywhere; }
td { white-space: nowrap; }
td.words { min-width: 120px; white-space: normal; }
th:first-child { position: sticky; left: 0; padding-left: 0; padding-right: 8px; text-align: left; background: var(--paper); min-width: 104px; max-width: 220px; }
th small, td small { display: block; font-weight: 400; white-space: nowrap; }
thead th small { white-space: normal; }
.control th, .control td { color: var(--muted); font-style: italic; }
.key { width: 12px; height: 12px; margin-right: 6px; vertical-align: -1px; }
.flags { padding-left: 18px; color: var(--muted); font-size: 14px; }
.flags .weak, .flags .invalid { color: var(--bad); }
figure { margin: 10px 0 16px; max-width: 640px; }
figcaption { font-weight: 600; font-size: 14px; }
figure svg { display: block; width: 100%; height: auto; }
.narrow { display: none; max-width: 400px; }
details { margin: 0 0 8px; }
dl { display: grid; grid-template-columns: minmax(100px, max-content) 1fr; gap: 2px 16px; font-size: 13px; overflow-wrap: anywhere; }
dt { color: var(--muted); max-width: 200px; } dd { margin: 0; }
summary { cursor: pointer; padding: 4px 0; color: var(--link); }
@media (min-width: 900px) {
  .beside:has(> :nth-child(2)) { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); }
  .beside th, .beside td { padding-left: 12px; font-size: 13px; }
  .beside th:first-child { padding-left: 0; max-width: none; white-space: nowrap; }
  .beside thead th { max-width: 120px; }
  .beside td small { display: inline; white-space: normal; }
  .beside td { padding-top: 4px; padding-bottom: 4px; }
}
@media (max-width: 560px) {
  .wide { display: none; }
  .narrow { display: block; }
  main { padding: 8px 12px; }
  h1 { font-size: 24px; }
  th:first-child { max-width: 120px; }
}
`;
