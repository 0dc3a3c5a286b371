/**
 * The wrk comparison's first set: one small page, from a cluster of Node behind the proxy.
 * http.json names the server.
 */
import { main } from "./lib/node.mjs";
import { requestPage } from "./lib/wrk.mjs";

await main(() => requestPage("http"));
