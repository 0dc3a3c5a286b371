/**
 * configurable-http-proxy as a WebSocket proxy, with one route. Its routing and its records of activity are the program's own; its command
 * line has no setting for the TLS policy, and would look the server's name up for each connection, so ../node-server.js does both.
 */
// @ts-expect-error It has no types.
import { ConfigurableProxy } from "configurable-http-proxy/lib/configproxy.js";
// @ts-expect-error
import { defaultLogger } from "configurable-http-proxy/lib/log.js";
import { options, serve } from "../node-server.js";

const proxy = new ConfigurableProxy({
  defaultTarget: options.target,
  // Default info: as with the other proxies.
  log: defaultLogger({ level: "warn" }),
});
proxy.httpAgent = options.agent;
serve(
  proxy.proxy,
  {
    web: (request, response) => proxy.handleProxyWeb(request, response),
    ws: (request, socket, head) => proxy.handleProxyWs(request, socket, head),
  },
  // The table of routes is in the memory of the one process that it has.
  { isOneProcess: true },
);
