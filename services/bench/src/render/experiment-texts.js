/**
 * What happened to connections, a sentence for each proxy: of events, of storms, of clients that do not read.
 *
 * @import { Analysis } from "../analyse/types.js"
 */
import { courseText, courseTitle } from "./course-texts.js";
import {
  STALL_COLUMNS,
  STALL_NOTE,
  stallRows,
  stallSentences,
  stallText,
  stallTitle,
} from "./stall-texts.js";
import {
  STORM_COLUMNS,
  STORM_NOTE,
  stormRows,
  stormSentences,
  stormText,
  stormTitle,
} from "./storm-texts.js";
import {
  COLUMNS,
  eventTitle,
  hasNoneText,
  SHARES_NOTE,
  survivalRows,
  survivalText,
  watchText,
} from "./survival-texts.js";
import { bracketed, list, nameOfProxy, titleOfProxy } from "./words.js";

/**
 * @typedef {object} ExperimentText
 * @property {string} title
 * @property {string} note how to read it
 * @property {{name: string, text: string}[]} answers name: of the proxy, or of all that it is true of; text: a sentence without its end
 * @property {string} without for how long it was watched, and who has no such thing; empty: there is nothing to say
 * @property {string[]} columns of the table, after the proxy's
 * @property {{title: string, cells: string[]}[]} rows
 */

/**
 * @param {Analysis} analysis
 * @returns {ExperimentText[]} in the order of the report; empty: the run has none
 */
export function experimentTexts(analysis) {
  const titleOf = (/** @type {string} */ name) => titleOfProxy(analysis.results, name);
  return [
    ...analysis.survivals.flatMap(({ events }) =>
      events.map((event) => ({
        title: eventTitle(event),
        note: SHARES_NOTE,
        answers: saidOnce(
          event.answers
            .filter(({ figures }) => figures)
            .map((answer) => ({ name: titleOf(answer.proxy), text: survivalText(answer, event) })),
        ),
        without: [watchText(event), hasNoneText(event, titleOf)].filter(Boolean).join(" "),
        columns: COLUMNS,
        rows: survivalRows(event, titleOf),
      })),
    ),
    ...analysis.storms.map((setting) => ({
      title: `Everyone comes back: ${stormTitle(setting)}`,
      note: STORM_NOTE,
      answers: setting.answers.map((answer) => ({
        name: titleOf(answer.proxy),
        text: stormText(answer, setting),
      })),
      without: "",
      columns: STORM_COLUMNS,
      rows: stormRows(analysis, setting),
    })),
    ...analysis.stalls.map((setting) => ({
      title: `Clients that do not read: ${stallTitle(setting)}`,
      note: STALL_NOTE,
      answers: setting.answers.map((answer) => ({
        name: titleOf(answer.proxy),
        text: stallText(answer, setting),
      })),
      without: "",
      columns: STALL_COLUMNS,
      rows: stallRows(analysis, setting),
    })),
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {string[]} what is said first of storms, of clients that do not read, and of an hour side by side; a run with events has its
 *   matrix
 */
export function experimentSentences(analysis) {
  const { results, storms, stalls, courses } = analysis;
  const nameOf = (/** @type {string} */ name) => nameOfProxy(results, name);
  const grown = results.plan.sideBySide
    ? courses.map((course) => `${courseTitle(analysis, course)}: ${courseText(analysis, course)}`)
    : [];
  return [...stormSentences(storms, nameOf), ...stallSentences(stalls, nameOf), ...grown];
}

/**
 * @param {{name: string, text: string}[]} answers
 * @returns {{name: string, text: string}[]}
 */
function saidOnce(answers) {
  return [...Map.groupBy(answers, ({ text }) => text)].map(([text, own]) => ({
    name: own.length > 1 ? list(own.map(({ name }) => bracketed(name))) : own[0].name,
    text,
  }));
}
