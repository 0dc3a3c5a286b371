/**
 * What a report is made of, before it is Markdown or HTML.
 */
import type { View } from "./chart.ts";
import type { Table } from "./table.ts";

export type Block =
  | { kind: "heading"; level: 1 | 2 | 3; text: string }
  /** lead: the answer; note: small; warning: it is what a reader must not miss. */
  | { kind: "text"; text: string; tone?: "lead" | "note" | "warning" }
  /** `15 min on 2 cores`, and what makes it again, in one line. */
  | { kind: "run"; facts: string; command: string }
  /** Beside each other where there is room. */
  | { kind: "beside"; parts: Block[][] }
  | { kind: "code"; text: string }
  | { kind: "list"; items: { label?: string; text: string }[] }
  | { kind: "table"; table: Table }
  /** Folded; not in Markdown, as `details`. */
  | { kind: "values"; title: string; values: Record<string, string | number | boolean | null> }
  /** Not in Markdown. isLarge: it is drawn for a phone too. */
  | { kind: "chart"; title: string; draw: (view: View) => string; isLarge?: boolean }
  /** Beside what is written to a terminal or to Markdown: the HTML alone has it. */
  | { kind: "download"; text: string; name: string; href: string }
  /** Markdown has none: what is folded, files beside it have. `brief` stands there in its place. */
  | { kind: "details"; summary: string; blocks: Block[]; brief: Block[] };

export const heading = (level: 1 | 2 | 3, text: string) =>
  ({ kind: "heading", level, text }) satisfies Block;
export const note = (text: string): Block => ({ kind: "text", text, tone: "note" });
export const table = (one: Table): Block => ({ kind: "table", table: one });

/** Nothing where nothing is inside. */
export function details(summary: string, blocks: Block[], brief: Block[] = []): Block[] {
  return blocks.length > 0 ? [{ kind: "details", summary, blocks, brief }] : [];
}
