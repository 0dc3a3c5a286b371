/** What k6 calls the environment: node.mjs makes it in Node too, for the parts of lib/ that both run. */
declare global {
  var __ENV: Record<string, string | undefined>;
}
export {};
