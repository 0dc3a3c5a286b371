/**
 * The record itself: inside of the report, or once it is published beside it.
 *
 * @import { Archive, Results } from "../../model/record.ts"
 * @import { Page } from "../report-page.js"
 */
import { gzipSync } from "node:zlib";
import { counted } from "../../numbers.js";
import { html } from "../html.js";

/** @param {Page} page */
export function data({ analysis }) {
  const { results } = analysis;
  const { archive } = results;
  return archive ? besideArchive(archive) : within(results);
}

/** @param {Results} results whose report may be all that somebody is sent */
function within(results) {
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
  </p>`;
}

/** @param {Archive} archive of a published run: the repository keeps its record once */
function besideArchive({ file, files, sha256 }) {
  return html`<p>
      Beside this file lie <a href="results.csv">results.csv</a>, one line an attempt, and
      <a href="results.json">results.json</a>, the record that all of this was made from.
    </p>
    <p>
      Raw samples and logs of every attempt are in <a href="${file}">${file}</a>: a tar of
      ${counted(files, "file")}, compressed by zstd, with the SHA-256 <code>${sha256}</code>.
    </p>`;
}
