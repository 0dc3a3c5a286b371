/**
 * The project's language as rules: wordings that read as translated, one word for one thing, and
 * how long a sentence may be.
 */

interface Rule {
  pattern: RegExp;
  better: string;
  /** what it catches */
  example: string;
}

const rule = (pattern: RegExp, better: string, example: string): Rule => ({
  pattern: new RegExp(pattern, "gi"),
  better,
  example,
});

const COUNTED =
  "achieved|offered|connections?|handshakes?|messages?|requests?|probes?|points?|samples?|bytes|[kMG]B|lines?|folders?|figures?|profiles?|files?|sentences?|clauses?|pages?";
const PER =
  "second|minute|hour|connection|message|request|GiB|cell|proxy|machine|scenario|question|change|release|load machine";

/** In every text, source code too. */
export const WORDINGS: Rule[] = [
  rule(/\bby (?:its|their) nature\b/, "cannot, does not", "What one cannot do by its nature"),
  rule(/\bholds? no longer\b/, "is no longer true", "it holds no longer"),
  rule(/\bwhat (?:it|they) leaves?\b(?! out)/, "limits", "How it measures, and what it leaves"),
  rule(/\bleav(?:es?|ing) nothing behind\b/, "removes …", "it leaves nothing behind"),
  rule(
    /\b(?:is|are|was|were|be|been) told\b(?! (?:apart|to))/,
    "active voice: the report names, …",
    "each failure is told",
  ),
  rule(
    /\b(?:is|are|was|were|be|been) seen\b/,
    "active voice: shows, measured, no measurable difference",
    "no difference is seen",
  ),
  rule(/\bheld against\b/, "compared with, checked against", "CPU is held against it"),
  rule(/\b(?:is|are|was|were) (?:waited for|said)\b/, "active voice", "the reason is said"),
  rule(
    // ~ hides what stands for a value in a template; the last digits of a date are no number.
    new RegExp(`(?:(?:\\b(?:${COUNTED})|(?<![-\\w.,])\\d[\\d,.]*) |~\\x20)(?-i:an?) (?:${PER})\\b`),
    "per …",
    "400 connections a second",
  ),
  rule(/\benvironment wins\b/, "environment variables override it", "the environment wins"),
  rule(/\bshall\b/, "must, should, or the present tense", "it shall not"),
  rule(/\bwhom\b/, "which proxy, who", "whom to choose"),
  rule(/\bmend(?:s|ed|ing)?\b/, "fix", "a bug that is mended"),
  rule(/\banew\b/, "again", "makes it anew"),
  rule(/(?<!\b(?:has|have|had)(?: not)? )\bbegun\b/, "started", "it was begun"),
  rule(/\bdear(?:er)?\b/, "expensive, costs more", "makes a lookup dear"),
  rule(/\bcan(?:not)? be had\b/, "is (not) available", "it cannot be had here"),
  rule(/, else\b/, "otherwise, or", "a port, else it fails"),
  rule(/\bat the (?:least|most)\b/, "at least, at most", "one at the least"),
  rule(/\bone (?:must|watches|chooses)\b/, "the imperative, or who it is", "what one must do"),
  rule(/\ball the same\b/, "still, anyway", "it is compared all the same"),
  rule(/\ba first look\b/, "preliminary", "A first look, 4 of 6 rounds"),
  rule(/\bmade ready\b/, "prepared", "what is made ready"),
  rule(/\bin place of\b/, "instead of", "six in place of four"),
  rule(/\bsome \d/, "about", "some 900 connections"),
  rule(/\btells? of\b/, "shows, describes", "which tells of most proxies"),
  rule(/\bwhat tells\b|\btells (?:how|what|when)\b/, "shows, says", "what tells how fast it is"),
];

/** One word a thing; in texts for users. */
export const WORDS: Rule[] = [
  rule(/\bverdicts?\b|\bcontests?\b|\bcontenders?\b/, "comparison", "the verdict on memory"),
  rule(/\brivals?\b/, "proxy, the other proxies", "no rival lacks it"),
  rule(/\bcaveats?\b|\bgates?\b/, "flag", "a gate that failed"),
  rule(/\boverviews?\b|\bglances?\b/, "summary", "the overview"),
  rule(/\bexperiments?\b/, "event", "an experiment on a proxy"),
  rule(/\bstalled (?:clients?|readers?)\b/, "slow reader", "each stalled client"),
  rule(/\bfurther engines?\b/, "another engine, machine", "a further engine"),
  rule(/\bcourse of\b/, "trend", "the course of memory"),
];

export interface Fault {
  line: number;
  found: string;
  better: string;
}

/** @returns with what begins a line of a comment, a quotation or a list blanked */
function unwrapped(text: string): string {
  const blank = (begin: string) => " ".repeat(begin.length);
  return text.replace(/^[ \t]*(?:\/\*\*?|\*\/?|\/\/|#+|>|--)+/gm, blank);
}

/** A comment or a string of TypeScript or JavaScript. */
const PROSE_OF_CODE =
  /\/\*.*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/gs;

/** @returns comments and strings in their places; names in code are no words */
export function proseOf(source: string): string {
  const hidden = (code: string) => code.replace(/[^\n]/g, "~");
  let prose = "";
  for (const { 0: found, index } of source.matchAll(PROSE_OF_CODE))
    prose += hidden(source.slice(prose.length, index)) + found.replace(/\$\{[^}]*\}/g, hidden);
  return prose + hidden(source.slice(prose.length));
}

/** Lines are joined, so that a wording that is wrapped is found. */
export function faultsOf(text: string, rules: Rule[]): Fault[] {
  const joined = unwrapped(text).replace(/\s/g, " ");
  return rules
    .flatMap(({ pattern, better }) => {
      const source = pattern.source.replaceAll(" ", " +");
      return [...joined.matchAll(new RegExp(source, "gi"))].map(({ 0: found, index }) => ({
        line: text.slice(0, index).split("\n").length,
        found: found.replace(/ +/g, " "),
        better,
      }));
    })
    .sort((a, b) => a.line - b.line);
}

/** Of a sentence; a longer one should be two. */
export const MOST_WORDS = 32;

/** @param markdown whose code, tags, comments, placeholders and link targets are no words */
export function longSentences(markdown: string): Fault[] {
  const keepLines = (part: string) => part.replace(/[^\n]/g, "");
  const text = markdown
    .replace(/```.*?```|<!--.*?-->|<svg.*?<\/svg>|<[^>]+>/gs, keepLines)
    .replace(/\]\([^)\s]*\)/g, "]")
    .replace(/`[^`\n]*`/g, "code")
    .replace(/\{\{[^}\n]*\}\}/g, "figure");
  // A list item, a heading, a cell and a paragraph are each a text of its own.
  const parts = text.split(/(\n\s*\n|\n(?=\s*(?:[-*#]|\d+\.) )|\|)/);
  let line = 1;
  return parts.flatMap((part) => {
    let at = line;
    line += part.split("\n").length - 1;
    return part.split(/(?<=[.!?:;])["*)]*\s+/).flatMap((sentence) => {
      const words = sentence.split(/\s+/).filter((word) => /\w/.test(word));
      const fault = {
        line: at,
        found: words.slice(0, 8).join(" "),
        better: `${words.length} words`,
      };
      at += sentence.split("\n").length - 1;
      return words.length > MOST_WORDS ? [fault] : [];
    });
  });
}
