/**
 * node http-proxy as https://github.com/http-party/node-http-proxy#proxying-websockets shows it, and
 * #using-https for TLS: one process.
 */
import { readFileSync } from "node:fs";
import httpProxy from "http-proxy";

const options = { target: "ws://echo:8080", ws: true };
const ssl = { key: readFileSync("/certs/key.pem"), cert: readFileSync("/certs/cert.pem") };

httpProxy.createServer(options).listen(8080);
httpProxy.createServer({ ...options, ssl }).listen(8443);
