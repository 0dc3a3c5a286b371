/**
 * node http-proxy as a WebSocket proxy. What it shares with its forks is in ../node-server.js.
 */
import httpProxy from "http-proxy";
import { options, serve } from "../node-server.js";

const proxy = httpProxy.createProxyServer(options);
serve(proxy, {
  web: (request, response) => proxy.web(request, response),
  ws: (request, socket, head) => proxy.ws(request, socket, head),
});
