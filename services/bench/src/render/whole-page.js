/**
 * A page that refers to nothing outside of itself but to files beside it.
 *
 * @import { Html } from "./html.js"
 */
import { html, trusted } from "./html.js";
import { SCRIPT, STYLE } from "./style.js";

/**
 * @param {object} page
 * @param {string} page.title
 * @param {Html} page.body header, main and footer
 * @param {string} [page.style] beside that of all pages
 * @param {string} [page.script] the same
 * @returns {string}
 */
export function wholePage({ title, body, style = "", script = "" }) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(STYLE + style)}
        </style>
      </head>
      <body>
        ${body}
        <script>
          ${trusted(SCRIPT + script)};
        </script>
      </body>
    </html> `.toString();
}
