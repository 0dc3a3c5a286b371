/**
 * One WebSocket over TLS from its handshake to its end: a message, its echo, a close frame. As connection.js does for k6.
 */
import tls from "node:tls";
import { WebSocket } from "ws";
import { counts } from "./counts.mjs";

/** Why a connection failed; k6's scenarios have no "tls". */
export const CAUSES = [
  "connect",
  "tls",
  "handshake",
  "timeout",
  "closed_early",
  "wrong_echo",
  "protocol",
];

/**
 * @typedef {object} Outcome
 * @property {string | null} cause null: it did all it should
 * @property {string} detail of a failure
 * @property {number | null} handshakeMs from when it was due to the answer to the upgrade; null: it did not get so far
 * @property {number | null} echoMs
 */

/**
 * @param {object} options
 * @param {string} options.url
 * @param {tls.ConnectionOptions} options.tls
 * @param {string} options.message
 * @param {number} options.dueMs when it should have started, on the clock of performance.now()
 * @param {number} options.timeoutMs it has failed when it is not through by then
 * @param {boolean} options.isReference it leads to the reference proxy
 * @param {(socket: tls.TLSSocket) => string | null} options.mistakeOf asked after the TLS handshake; null: it is as it should be
 * @param {(session: Buffer) => void} [options.onSession] told each session that the server gives
 * @returns {Promise<Outcome>}
 */
export function exchange(options) {
  const {
    url,
    tls: tlsOptions,
    message,
    dueMs,
    timeoutMs,
    mistakeOf,
    onSession,
    isReference,
  } = options;
  const socket = tls.connect(tlsOptions);
  const ws = new WebSocket(url, { createConnection: () => socket, perMessageDeflate: false });
  /** @type {"connect" | "tls" | "handshake" | "echo" | "close" | "ended"} */
  let phase = "connect";
  let sentMs = 0;
  /** @type {Outcome} */
  const outcome = { cause: null, detail: "", handshakeMs: null, echoMs: null };
  const { promise, resolve } = Promise.withResolvers();

  /** Only the first call counts. @param {string} [cause] none: it did all it should @param {string} [detail] */
  const end = (cause, detail = "") => {
    if (phase === "ended") return;
    if (outcome.handshakeMs !== null) counts.connections_open -= 1;
    if (cause && !isReference) counts.connections_failed += 1;
    phase = "ended";
    clearTimeout(timer);
    if (cause) {
      Object.assign(outcome, { cause, detail });
      socket.destroy();
    }
    resolve(outcome);
  };
  const timer = setTimeout(
    () => end("timeout", `in phase "${phase}" after ${timeoutMs / 1000} s`),
    timeoutMs,
  );

  socket.on("connect", () => (phase = "tls"));
  socket.on("session", (session) => onSession?.(session));
  socket.on("secureConnect", () => {
    const mistake = mistakeOf(socket);
    if (mistake) return end("tls", mistake);
    phase = "handshake";
  });
  // `ws` hears of it too, and then says so.
  socket.on("error", () => {});
  ws.on("open", () => {
    sentMs = performance.now();
    outcome.handshakeMs = sentMs - dueMs;
    counts.connections_open += 1;
    if (!isReference) counts.connections_opened += 1;
    phase = "echo";
    ws.send(message);
  });
  ws.on("message", (data, isBinary) => {
    const echoMs = performance.now() - sentMs;
    if (phase !== "echo") return end("protocol", `a message came unasked in phase "${phase}"`);
    if (isBinary || data.toString() !== message)
      return end("wrong_echo", `a message of ${message.length} characters came back changed`);
    outcome.echoMs = echoMs;
    counts.ws_msgs_received += 1;
    phase = "close";
    ws.close(1000);
  });
  ws.on("close", (code) =>
    phase === "close" ? end() : end("closed_early", `code ${code} in phase "${phase}"`),
  );
  ws.on("error", ({ message }) =>
    end(phase === "echo" || phase === "close" ? "protocol" : phase, message),
  );
  return promise;
}
