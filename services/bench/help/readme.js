/**
 * Writes into README, between two marks, what the published runs say: which proxy to choose.
 *
 *     npm run generate
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import style from "../../../.oxfmtrc.json" with { type: "json" };
import { makeAnswer } from "../src/commands/published-pages.js";

const PROJECT = join(import.meta.dirname, "../../..");
const MARKS = ["<!-- answer: npm run generate in services/bench -->", "<!-- end of answer -->"];

export const README = join(PROJECT, "README.md");

/**
 * @param {string} text of README
 * @returns {Promise<string>} with the answer of today's runs
 * @throws {Error} when a mark is missing
 */
export async function withAnswer(text) {
  const [from, to] = MARKS.map((mark) => text.indexOf(mark));
  if (from < 0 || to < from) throw new Error(`README.md has no ${MARKS.join(" and ")}`);
  const blocks = [MARKS[0], ...makeAnswer(PROJECT)];
  const whole = `${text.slice(0, from)}${blocks.join("\n\n")}\n\n${text.slice(to)}`;
  return (await format(README, whole, style)).code;
}

if (import.meta.main) writeFileSync(README, await withAnswer(readFileSync(README, "utf8")));
