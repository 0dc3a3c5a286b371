/**
 * The wrk comparison's second set: one small page, from Spring Boot on Netty behind the proxy.
 * http-spring.json names the server.
 */
import { main } from "./lib/node.mjs";
import { requestPage } from "./lib/wrk.mjs";

await main(() => requestPage("http-spring"));
