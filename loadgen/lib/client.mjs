/**
 * One WebSocket of a client in Node, for scenarios in which connections end: it says how. `ws` has
 * 1006 for everything without a close frame, so this also watches the socket under it.
 *
 * How a connection ended, or a handshake failed, is one text:
 *
 *     close CODE REASON   a close frame came, whatever became of the TCP connection after it
 *     reset               ECONNRESET
 *     end                 a FIN, and no close frame before it
 *     timeout             nothing came in time
 *     refused             ECONNREFUSED
 *     status CODE         the answer to the handshake had another status than 101
 *     error NAME          everything else, by its name in Node, OpenSSL or `ws`
 */
import net from "node:net";
import tls from "node:tls";
import { WebSocket } from "ws";
import { HeldClient } from "./held-client.mjs";
import { readPolicy } from "./node.mjs";
import { Resolver } from "./resolver.mjs";
import { secureContextOf } from "./tls-context.mjs";

/** @import { Socket } from "node:net" */
/** @import { SecureContext, TLSSocket } from "node:tls" */
/** @import { Scenario } from "./node.mjs" */

/** After a close frame the other side has so long to close the TCP connection: how it ended is known by then. */
const CLOSE_MS = 1000;

/** `ws` says this where no close frame came. */
const NO_CLOSE_FRAME = 1006;

/** Of errors that have a name of their own here. EPIPE is what the kernel makes of a reset that comes after a FIN. */
const HOW = new Map([
  ["ECONNRESET", "reset"],
  ["ECONNREFUSED", "refused"],
  ["EPIPE", "end"],
]);

/**
 * @typedef {object} Target what all connections of a load share
 * @property {string} host
 * @property {number} port
 * @property {string} url
 * @property {net.LookupFunction} lookup
 * @property {SecureContext | null} secureContext null: no TLS
 */

/**
 * @param {Scenario} scenario
 * @returns {Target}
 */
export function targetOf({ scheme, host, port }) {
  return {
    host,
    port,
    url: `${scheme}://${host}:${port}/`,
    lookup: new Resolver(host).lookup,
    secureContext: scheme === "wss" ? secureContextOf(readPolicy()) : null,
  };
}

/** Node tries the next address when this is over. By then the whole handshake has failed, so that an address without an answer shows. */
const NEXT_ADDRESS_MS = 3_600_000;

/**
 * Where a name has several addresses, one that refuses is no failure: the next is tried, as browsers do. So does a proxy's successor take
 * new connections while it drains.
 *
 * @param {Pick<Target, "lookup">} target
 * @returns {Pick<net.TcpSocketConnectOpts, "lookup" | "autoSelectFamily" | "autoSelectFamilyAttemptTimeout">}
 */
export function addressing({ lookup }) {
  return {
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };
}

/**
 * @param {unknown} error
 * @returns {string} how a connection ended that ended by it
 */
export function howOf(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return HOW.get(code ?? "") ?? `error ${code ?? message}`;
}

export class Client extends HeldClient {
  /** @type {Socket} */
  #tcp;
  /** The same, or TLS over it. @type {Socket} */
  #socket;
  /** From the end of TCP's handshake. @type {WebSocket | undefined} */
  #ws;
  /** What the socket told first. */
  #told = "";

  /**
   * Begins the handshake.
   *
   * @param {Target} target
   * @param {object} options
   * @param {number} options.timeoutMs of TCP, TLS and WebSocket handshake together
   * @param {Buffer} [options.session] of TLS, to be resumed
   * @param {(session: Buffer) => void} [options.onSession] told each session that the server gives
   * @param {(socket: TLSSocket) => string | null} [options.mistakeOf] asked after the TLS handshake: how it has failed; null: it has not
   */
  constructor(target, { timeoutMs, ...options }) {
    super(timeoutMs);
    const { host, port } = target;
    this.#tcp = net.connect({ host, port, ...addressing(target) });
    this.#socket = this.#tcp;
    const onError = (/** @type {Error} */ error) => this.fail(howOf(error));
    // TLS before that would stay with the first address, if it refuses.
    this.#tcp.once("error", onError).once("connect", () => {
      this.#tcp.off("error", onError);
      if (this.state === "connecting") this.#shake(target, options);
    });
  }

  /**
   * What comes after TCP's handshake.
   *
   * @param {Target} target
   * @param {Omit<ConstructorParameters<typeof Client>[1], "timeoutMs">} options
   */
  #shake({ host, url, secureContext }, { session, onSession, mistakeOf }) {
    if (secureContext) {
      const servername = net.isIP(host) ? "" : host;
      // Over a socket of its own: that of tls.connect() alone cannot be reset.
      const socket = tls.connect({ socket: this.#tcp, host, servername, secureContext, session });
      if (onSession) socket.on("session", onSession);
      socket.on("secureConnect", () => {
        const mistake = mistakeOf?.(socket);
        if (mistake) this.fail(mistake);
      });
      this.#socket = socket;
    }
    this.#socket.on("end", () => (this.#told ||= "end"));
    this.#socket.on("error", (error) => (this.#told ||= howOf(error)));
    const createConnection = () => this.#socket;
    const options = { createConnection, perMessageDeflate: false, closeTimeout: CLOSE_MS };
    this.#ws = new WebSocket(url, options)
      .on("open", () => this.open())
      .on("message", (message) => this.onMessage(/** @type {Buffer} */ (message)))
      .on("unexpected-response", (_, { statusCode }) => this.fail(`status ${statusCode}`))
      // Of a handshake that a FIN cut short, Node's HTTP client says ECONNRESET.
      .on("error", (error) => this.fail(this.#told || howOf(error)))
      .on("close", (code, reason) => this.#closed(code, reason));
  }

  /** @override */
  get isOpen() {
    return super.isOpen && this.#ws?.readyState === WebSocket.OPEN;
  }

  /**
   * @override
   * @param {string} message
   * @param {(error?: Error | null) => void} [taken]
   */
  send(message, taken) {
    this.#ws?.send(message, taken);
  }

  /** @override */
  pause() {
    this.#ws?.pause();
  }

  /** @override */
  resume() {
    this.#ws?.resume();
  }

  /** @override */
  sendClose() {
    this.#ws?.close(1000);
  }

  /**
   * By an RST.
   *
   * @override
   */
  reset() {
    super.reset();
    this.#tcp.resetAndDestroy();
    this.#socket.destroy();
  }

  /**
   * @override
   * @param {string} how
   */
  fail(how) {
    super.fail(how);
    this.#socket.destroy();
  }

  /**
   * @param {number} code
   * @param {Buffer} reason
   */
  #closed(code, reason) {
    this.end(
      code === NO_CLOSE_FRAME ? this.#told || "error unknown" : `close ${code} ${reason}`.trim(),
    );
  }
}
