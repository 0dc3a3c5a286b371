/**
 * The wrk comparison's first set: one small page, before a cluster of Node. Which server that is, http.json says.
 */
import { main } from "./lib/node.mjs";
import { requestPage } from "./lib/wrk.mjs";

await main(() => requestPage("http"));
