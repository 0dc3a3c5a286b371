/**
 * What a page needs to stand on a website: links to other pages instead of Markdown, what previews
 * of links show, a way back; and Markdown as a page.
 */
import { Marked } from "marked";
import { PICTURE } from "./charts-of-pages.ts";
import { STYLE } from "./html.ts";
import { html, trusted } from "./markup.ts";

export interface SitePage {
  /** `proxies/report.html` */
  name: string;
  html: string;
  description: string;
}

export interface Site {
  /** Where it will be, with a slash at its end; null: previews of links show no picture. */
  url: string | null;
  /** Name of the PNG in it. */
  picture: string;
}

/** As GitHub makes them of headings, but for letters of other alphabets. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** @param markdown of this program: its HTML is trusted */
export function pageOfMarkdown(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token) {
        const cells = (row: typeof token.header) => row.map((one) => this.tablecell(one)).join("");
        const rows = token.rows.map((row) => `<tr>${cells(row)}</tr>\n`).join("");
        return `<div class="scroll" role="region" tabindex="0" aria-label="Table"><table>\n<thead><tr>${cells(token.header)}</tr></thead>\n<tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const [, title = ""] = markdown.match(/^# (.*)$/m) ?? [];
  return `<!doctype html>\n${html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${trusted(STYLE + TEXT_STYLE)}
      </style>
    </head>
    <body>
      <main>${trusted(marked.parse(markdown, { async: false }))}</main>
    </body>
  </html>`}\n`;
}

/** Cells are text, and not figures as in a report. */
const TEXT_STYLE = `
table { width: 100%; min-width: 40rem; } td, th { text-align: left; white-space: normal; padding: 5px 10px 5px 0; }
th:first-child { position: static; } img { max-width: 100%; height: auto; }`;

/** The page as it stands in the site. */
export function onSite(
  { name, html: page, description }: SitePage,
  { url, picture }: Site,
): string {
  const [, title = ""] = page.match(/<title>([^<]*)<\/title>/) ?? [];
  const root = "../".repeat(name.split("/").length - 1);
  const address = url && new URL(name.replace(/(^|\/)index\.html$/, "$1"), url).href;
  const properties = {
    "og:type": "website",
    "og:site_name": "ws-proxy-bench",
    "og:title": trusted(title),
    "og:description": description,
    ...(address && { "og:url": address }),
    "og:image": url ? new URL(picture, url).href : root + picture,
    "og:image:width": PICTURE.width,
    "og:image:height": PICTURE.height,
  };
  const head = html`<meta name="description" content="${description}" />
    ${Object.entries(properties).map(([key, value]) => html`<meta property="${key}" content="${value}" /> `)}
    <meta name="twitter:card" content="summary_large_image" />
    ${address && html`<link rel="canonical" href="${address}" /> `}`;
  const back = html`<nav class="site" aria-label="Site">
    <style>
      .site {
        max-width: 1080px;
        margin: 0 auto;
        padding: 8px 16px 0;
      }
    </style>
    ${WAYS.map(([file, text]) => html`<a href="${root}${file}">${text}</a> `)}
  </nav> `;
  const isFirst = name === "index.html";
  return page
    .replace(/<meta name="description"[^>]*>\n/, "")
    .replace("<title>", () => `${head}<title>`)
    .replace("<body>\n", (body) => (isFirst ? body : `${body}${back}`))
    .replace(/href="(?![a-z]+:|#)([^"#]+)\.md(#[^"]*)?"/g, 'href="$1.html$2"');
}

const WAYS = [
  ["index.html", "ws-proxy-bench"],
  ["README.html", "All results"],
  ["FINDINGS.html", "Findings"],
  ["CLAIMS.html", "Claims of others"],
];
