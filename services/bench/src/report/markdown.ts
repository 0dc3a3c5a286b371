/**
 * Blocks as GitHub's Markdown.
 */
import type { Block } from "./block.ts";
import type { Cell, Table } from "./table.ts";

export function markdownOf(blocks: Block[]): string {
  return `${blocks.flatMap(lines).join("\n\n")}\n`;
}

function lines(block: Block): string[] {
  switch (block.kind) {
    case "heading":
      return [`${"#".repeat(block.level)} ${escaped(block.text)}`];
    case "text":
      return [block.tone === "warning" ? `> **${rich(block.text)}**` : rich(block.text)];
    case "run":
      return [`${escaped(block.facts)} · \`${block.command}\``];
    case "beside":
      return block.parts.flat().flatMap(lines);
    case "code":
      return [fenced(block.text)];
    case "list":
      return [
        block.items
          .map(({ label, text }) => `- ${label ? `${label}: ` : ""}${rich(text)}`)
          .join("\n"),
      ];
    case "table":
      return tableLines(block.table);
    case "details":
      return block.brief.flatMap(lines);
    case "values":
    case "chart":
    case "download":
      return [];
  }
}

/** Its title, the table itself, and what stands below. */
export function tableLines({ title, note, head, rows, footnotes = [] }: Table): string[] {
  const align = head.map(({ words }, i) => (i === 0 || words ? "---" : "--:"));
  const names = head.map(({ title: name, small }) => escaped(small ? `${name}, ${small}` : name));
  const body = rows.map((row) => row.map((cell) => cellText(cell, Boolean(row[0].control))));
  const below = [note, ...footnotes].filter(Boolean).map(escaped);
  return [
    ...(title ? [`**${escaped(title)}**`] : []),
    [names, align, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    ...(below.length > 0 ? [below.join("\\\n")] : []),
  ];
}

function cellText({ text, small, best, proxy }: Cell, isControl: boolean): string {
  const own = escaped(text);
  const shown = best ? `**${own}**` : proxy !== undefined && isControl ? `*${own}*` : own;
  return small ? `${shown} ${escaped(small)}` : shown;
}

/** One line in which nothing is markup; an underscore within a word is none anyway. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<>|#~]|(?<!\w)_|_(?!\w)/g, "\\$&")
    .trim();
}

/** As `escaped`, but for text between two pairs of stars, which is bold. */
function rich(text: string): string {
  return text
    .split("**")
    .map((part, i) => (i % 2 === 1 ? `**${escaped(part)}**` : part && spaced(part)))
    .join("");
}

/** Escaped, with the blanks at its ends. */
function spaced(text: string): string {
  return `${/^\s/.test(text) ? " " : ""}${escaped(text)}${/\s$/.test(text) ? " " : ""}`;
}

function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}sh\n${text}\n${fence}`;
}
