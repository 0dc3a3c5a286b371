/**
 * What grows over time under a steady load.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import {
  COURSE_COLUMNS,
  COURSE_NOTE,
  courseRows,
  courseText,
  courseTitle,
} from "../course-texts.js";
import { html } from "../html.js";
import { textTable } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: no phase was long enough
 */
export function overTime(page) {
  const { analysis } = page;
  if (analysis.courses.length === 0) return null;
  return html`<p class="note">${COURSE_NOTE}</p>
    ${analysis.courses.map((course) => {
      const title = courseTitle(analysis, course);
      return html`<h3>${title}</h3>
        <p>${courseText(analysis, course)}</p>
        ${textTable(page, `Over time, ${title}`, COURSE_COLUMNS, courseRows(analysis, course))}`;
    })}`;
}
