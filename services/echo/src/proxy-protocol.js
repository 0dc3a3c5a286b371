import { createServer } from "node:net";

/** Of version 1 in its longest form, line end included: PROXY protocol specification, section 2.1. */
const MAX_LINE_BYTES = 107;
/** The source's address is left out where the sender does not know it. */
const LINE = /^PROXY (?:UNKNOWN[^\r]*|TCP[46] (\S+) \S+ \d+ \d+)\r\n/;

/**
 * Makes a TCP server, not listening yet, whose connections begin with the client's address in a line of the PROXY protocol,
 * version 1. `http` then serves them as if the client had connected itself. A proxy in TCP mode can tell the client's address
 * in no other way. Anyone who reaches this port can claim any address.
 *
 * Source: https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt, section 2.1.
 *
 * @param {import("node:http").Server} http
 * @returns {import("node:net").Server}
 */
export function createProxyProtocolServer(http) {
  return createServer({ noDelay: true }, (socket) => {
    let seen = Buffer.alloc(0);
    // From here until `http` has its own listener.
    socket.on("error", () => socket.destroy());
    socket.on("readable", read);

    function read() {
      const chunk = socket.read();
      if (chunk === null) return;
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf("\r\n");
      if (end < 0 && seen.length < MAX_LINE_BYTES) return;
      const [line, source] = LINE.exec(seen.toString("latin1", 0, MAX_LINE_BYTES)) ?? [];
      if (line === undefined) {
        socket.destroy();
        return;
      }
      socket.off("readable", read);
      if (source) Object.defineProperty(socket, "remoteAddress", { value: source });
      http.emit("connection", socket);
      const rest = seen.subarray(line.length);
      if (rest.length > 0) socket.unshift(rest);
    }
  });
}
