/**
 * The wrk comparison's second set: one small page, before Spring Boot on Netty. Which server that is, http-spring.json says.
 */
import { main } from "./lib/node.mjs";
import { requestPage } from "./lib/wrk.mjs";

await main(() => requestPage("http-spring"));
