export { renderHtml } from "./report-html.js";
export { renderMarkdown } from "./report-markdown.js";
export { renderText } from "./report-text.js";
export { resultsCsv } from "./results-csv.js";
