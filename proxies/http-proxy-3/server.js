/**
 * http-proxy-3, a fork of node http-proxy, as a WebSocket proxy. What it shares with that is in ../node-server.js.
 */
import { createProxyServer } from "http-proxy-3";
import { options, serve } from "../node-server.js";

const proxy = createProxyServer(options);
serve(proxy, {
  web: (request, response) => proxy.web(request, response),
  ws: (request, socket, head) => proxy.ws(request, socket, head),
});
