/**
 * WebSockets over HTTP/2 (RFC 8441), several on one connection: as `Client` is of a connection of its own.
 */
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import { Receiver, Sender } from "ws";
import { addressing, Client, howOf } from "./client.mjs";
import { HeldClient } from "./held-client.mjs";

/** @import { ClientHttp2Session, ClientHttp2Stream, Settings } from "node:http2" */
/** @import { Target } from "./client.mjs" */

/** A close frame without a code (RFC 6455, section 7.1.5). */
const NO_CODE = 1005;

/**
 * How each of `count` WebSockets is opened.
 *
 * @param {Target} target over TLS, where they share connections
 * @param {object} options
 * @param {number} options.count
 * @param {number} options.streams WebSockets on one HTTP/2 connection, in turn; 0: each on a connection of its own, over HTTP/1.1
 * @param {number} options.timeoutMs of each handshake
 * @returns {(number: number) => HeldClient} begins the handshake of one
 */
export function clientsOf(target, { count, streams, timeoutMs }) {
  if (streams === 0) return () => new Client(target, { timeoutMs });
  /** @type {Promise<ClientHttp2Session>[]} */
  const sessions = [];
  const all = Math.ceil(count / streams);
  return (number) => {
    const session = (sessions[number % all] ??= connect(target, timeoutMs));
    return new StreamClient(target, session, timeoutMs);
  };
}

/**
 * @param {Target} target
 * @param {number} timeoutMs
 * @returns {Promise<ClientHttp2Session>} on which extended CONNECT is offered; rejects with how it failed
 */
function connect(target, timeoutMs) {
  const { host, port, secureContext } = target;
  const socket = tls.connect({
    host,
    port,
    servername: net.isIP(host) ? "" : host,
    secureContext: secureContext ?? undefined,
    ALPNProtocols: ["h2"],
    ...addressing(target),
  });
  socket.setNoDelay(true);
  const { promise, resolve, reject } = Promise.withResolvers();
  const fail = (/** @type {string} */ how) => {
    clearTimeout(timer);
    reject(new Error(how));
    socket.destroy();
  };
  const timer = setTimeout(() => fail("timeout"), timeoutMs);
  socket.once("error", (error) => fail(howOf(error)));
  socket.once("secureConnect", () => {
    if (socket.alpnProtocol !== "h2") return fail("error no HTTP/2");
    const session = http2.connect(`https://${host}:${port}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    // Whoever waits for one of its streams has a timer: when nobody does any more, it is over.
    session.unref();
    session.on("error", (error) => fail(howOf(error)));
    session.once("remoteSettings", (/** @type {Settings} */ { enableConnectProtocol }) => {
      if (!enableConnectProtocol) return fail("error no extended CONNECT");
      clearTimeout(timer);
      resolve(session);
    });
  });
  return promise;
}

class StreamClient extends HeldClient {
  /** @type {ClientHttp2Stream | undefined} */
  #stream;
  /** @type {Sender | undefined} */
  #sender;
  /** What came first of its end. */
  #told = "";

  /**
   * @param {Target} target
   * @param {Promise<ClientHttp2Session>} session
   * @param {number} timeoutMs
   */
  constructor({ host, port }, session, timeoutMs) {
    super(timeoutMs);
    session.then(
      (open) => this.state === "connecting" && this.#shake(open, `${host}:${port}`),
      ({ message }) => this.fail(message),
    );
  }

  /**
   * @param {ClientHttp2Session} session
   * @param {string} authority
   */
  #shake(session, authority) {
    const stream = session.request(
      {
        ":method": "CONNECT",
        ":protocol": "websocket",
        ":scheme": "https",
        ":authority": authority,
        ":path": "/",
        "sec-websocket-version": "13",
      },
      { endStream: false },
    );
    this.#stream = stream;
    stream.on("error", (error) => (this.#told ||= howOf(error)));
    stream.on("close", () => this.end(this.#told || "reset"));
    stream.on("response", ({ ":status": status }) => {
      if (status !== 200) return this.fail(`status ${status}`);
      this.#carry(stream);
      this.open();
    });
  }

  /** @param {ClientHttp2Stream} stream */
  #carry(stream) {
    const sender = new Sender(stream);
    this.#sender = sender;
    const receiver = new Receiver({ isServer: false });
    receiver.on("message", (message) => this.onMessage(message));
    receiver.on("ping", (data) => sender.pong(data, true));
    receiver.on("conclude", (code, reason) => {
      this.#told ||= `close ${code} ${reason}`.trim();
      if (this.state === "open") sender.close(code === NO_CODE ? undefined : code, "", true);
    });
    receiver.on("error", (error) => this.fail(howOf(error)));
    stream.on("data", (chunk) => receiver.write(chunk));
    stream.on("end", () => {
      this.#told ||= "end";
      stream.end();
    });
  }

  /** @override */
  get isOpen() {
    return super.isOpen && this.#told === "";
  }

  /**
   * @override
   * @param {string} message
   * @param {(error?: Error | null) => void} [taken]
   */
  send(message, taken) {
    const options = { binary: false, compress: false, fin: true, mask: true };
    this.#sender?.send(message, options, taken);
  }

  /** @override */
  pause() {
    this.#stream?.pause();
  }

  /** @override */
  resume() {
    this.#stream?.resume();
  }

  /** @override */
  sendClose() {
    this.#sender?.close(1000, "", true);
  }

  /**
   * The stream alone.
   *
   * @override
   */
  reset() {
    super.reset();
    this.#stream?.close(http2.constants.NGHTTP2_CANCEL);
  }

  /**
   * @override
   * @param {string} how
   */
  fail(how) {
    super.fail(how);
    this.#stream?.close(http2.constants.NGHTTP2_CANCEL);
  }
}
