/**
 * What proxies do by themselves, as one table: a column a proxy.
 */
import type { Behaviour, Ending, HeadersSeen, NotFound, Watch } from "../model/behaviour.ts";
import { heading } from "./block.ts";
import type { Block } from "./block.ts";
import { list } from "./load-text.ts";

export interface Looked {
  title: string;
  /** of its program; null: it did not tell */
  version: string | null;
  behaviour: Behaviour;
}

const MIB = 1_048_576;

type Row = [title: string, text: (behaviour: Behaviour, watch: Watch) => string];

const ROWS: Row[] = [
  ["Idle connection", ({ idle }, watch) => text(idle, (end) => ending(end, watch.idle))],
  ["The same with pings", ({ pinged }, watch) => text(pinged, (end) => ending(end, watch.idle))],
  ["Pings of its own", ({ ownPings }) => text(ownPings, (count) => (count ? `${count}` : "none"))],
  ["A client's ping is answered by", ({ pong }) => text(pong, (who) => who ?? "nobody")],
  ["Largest message", ({ largestMessageBytes: bytes }) => text(bytes, size)],
  ["Open connection at a reload", ({ reload }, watch) => text(reload, (one) => across(one, watch))],
  ["Host at the server", ofHeaders(({ host }) => host ?? "the client's")],
  ["X-Forwarded-For", ofHeaders(({ tellsClient }) => (tellsClient ? "the client" : "none"))],
  ["One that the client sends is", ofHeaders(({ forged }) => forged)],
  ["X-Forwarded-Proto", ({ headers, secureProto }) => proto(headers, secureProto)],
  ["Other headers added", ofHeaders(({ added }) => names(added))],
  ["Headers removed", ofHeaders(({ removed }) => names(removed))],
  ["Headers added to the answer", ofHeaders(({ answerAdded }) => names(answerAdded))],
  ["TLS", ({ tls }) => text(tls, ({ version, cipher, group }) => list([version, cipher, group]))],
];

/** @param command that prints it */
export function behaviourBlocks(looked: Looked[], watch: Watch, command: string): Block[] {
  return [
    heading(1, "What proxies do by themselves"),
    {
      kind: "text",
      text: `Found by a check, not by reading. A connection is silent for ${watch.idle} s, or pings every ${watch.ping} s; after a reload it sends a message every second for ${watch.reload} s. Messages end at 16 MiB, the server's limit. To print this page:`,
    },
    { kind: "code", text: command },
    {
      kind: "table",
      table: {
        title: "",
        note: "",
        head: ["", ...looked.map(({ title }) => title)].map((title) => ({ title, words: true })),
        rows: [
          ["Version", ...looked.map(({ version }) => version ?? "unknown")],
          ...ROWS.map(([title, textOf]) => [
            title,
            ...looked.map(({ behaviour }) => textOf(behaviour, watch)),
          ]),
        ].map((row) => row.map((cell) => ({ text: cell }))),
      },
    },
  ];
}

function text<T>(fact: T | NotFound, of: (fact: T) => string): string {
  return isNotFound(fact) ? `not found: ${fact.failed}` : of(fact);
}

function isNotFound(fact: unknown): fact is NotFound {
  return typeof fact === "object" && fact !== null && "failed" in fact;
}

function ofHeaders(of: (headers: HeadersSeen) => string): Row[1] {
  return ({ headers }) => text(headers, of);
}

function ending(end: Ending | null, watched: number): string {
  return end ? `closed after ${end.seconds.toFixed(0)} s${how(end)}` : `open after ${watched} s`;
}

function across(reload: { ended: Ending | null } | "none", watch: Watch): string {
  if (reload === "none") return "no reload";
  const { ended } = reload;
  if (!ended) return "goes on";
  return ended.seconds < 1 ? `closed at once${how(ended)}` : ending(ended, watch.reload);
}

function how({ code }: Ending): string {
  return code === 1006 ? "" : ` (code ${code})`;
}

function size(bytes: number | null): string {
  if (bytes === null) return "none came back";
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`;
}

function proto(headers: HeadersSeen | NotFound, secure: string | null | NotFound): string {
  const plain = text(headers, ({ proto: one }) => one ?? "none");
  const other = text(secure, (one) => one ?? "none");
  return plain === other ? plain : `${plain}; over TLS ${other}`;
}

function names(all: string[]): string {
  return all.length > 0 ? list(all) : "none";
}
