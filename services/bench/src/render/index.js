export { answerBlocks, answerPicture, PICTURE_FILE } from "./answer.js";
export { claimEntries } from "./claim-rows.js";
export { renderFindings } from "./found-texts.js";
export { renderClaimsPage, renderPublishedPage } from "./published-page.js";
export { renderPublishedReadme } from "./published-readme.js";
export { renderHtml } from "./report-html.js";
export { renderMarkdown } from "./report-markdown.js";
export { renderText } from "./report-text.js";
export { resultsCsv } from "./results-csv.js";
