/** A project with the published runs of two battles, whose pages take seconds and not minutes. */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../../../../..");
const RUNS = ["scale-out", "soak"];

const PAGES = `
headline:
  footnotes: "**Bold**: best."
  base: nginx
  proxies: [haproxy, nginx]
  columns:
    - { title: Sent to a new backend, show: share, from: { question: newcomers, event: backend-scale } }
picture: added
charts:
  added:
    title: Who sends to a new backend
    axis: "% of new connections"
    series: [{ title: plain, question: newcomers, event: backend-scale }]
groups:
  - title: Memory
    questions: [{ title: RAM growth, card: true, from: { question: trend, measure: memory_per_hour } }]
`;

/** @param folder an empty one */
export function makeSmallProject(folder: string): void {
  mkdirSync(join(folder, "published"));
  cpSync(join(PROJECT, "certs/policy.json"), join(folder, "certs/policy.json"));
  cpSync(join(PROJECT, "battles/published"), join(folder, "battles/published"), {
    recursive: true,
  });
  // Records of before November 2026 take their marks from there.
  for (const proxy of readdirSync(join(PROJECT, "proxies"))) {
    const file = join("proxies", proxy, "proxy.json");
    if (existsSync(join(PROJECT, file))) cpSync(join(PROJECT, file), join(folder, file));
  }
  for (const run of RUNS)
    cpSync(join(PROJECT, "published", run), join(folder, "published", run), { recursive: true });
  writeFileSync(join(folder, "published/pages.yaml"), PAGES);
  writeFileSync(join(folder, "README.template.md"), "# Project\n\n{{table}}\n");
  writeFileSync(
    join(folder, "published/FINDINGS.template.md"),
    "# Findings\n\n## A first one\n\nNew.\n\n{{chart added}}\n\n`./bench run scale-out` · {{report scale-out}}\n",
  );
}
