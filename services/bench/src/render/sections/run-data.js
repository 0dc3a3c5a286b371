/**
 * The record itself, inside of the report.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { gzipSync } from "node:zlib";
import { counted } from "../../numbers.js";
import { html } from "../html.js";

/** @param {Page} page */
export function data({ analysis }) {
  const { results } = analysis;
  const record = gzipSync(JSON.stringify(results), { level: 9 }).toString("base64");
  return html`<p>
      <a
        id="results"
        download="${results.run.name}.json.gz"
        href="data:application/gzip;base64,${record}"
        >Save the record of this run</a
      >, which is inside this file: every attempt, as gzipped JSON. Beside this file lie
      <a href="results.csv">results.csv</a>, one line an attempt, and
      <a href="results.json">results.json</a>.
    </p>
    ${
      results.archive &&
      html`<p>
        Raw samples and logs of every attempt are in
        <a href="${results.archive.file}">${results.archive.file}</a>: a tar of
        ${counted(results.archive.files, "file")}, compressed by zstd, with the SHA-256
        <code>${results.archive.sha256}</code>.
      </p>`
    }`;
}
