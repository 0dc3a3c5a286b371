/**
 * A WebSocket of a client in Node from its handshake to its end, whatever carries it. How it ended, or its handshake failed, is one text, as
 * client.mjs says.
 */
import { counts } from "./counts.mjs";

export class HeldClient {
  /** It leads to the reference proxy. */
  isReference = false;
  /** What to do with a message. @type {(message: Buffer) => void} */
  onMessage = () => {};
  /** Told once how it ended, where that is not what `close` or `reset` was asked for. @type {(how: string) => void} */
  onEnd = () => {};
  /** For those that extend this. @type {"connecting" | "open" | "closing" | "ended"} */
  state = "connecting";

  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(how: string | null) => void} */
  #settle = () => {};

  /** @param {number} timeoutMs of the whole handshake */
  constructor(timeoutMs) {
    /**
     * How the handshake failed; null: it is open.
     *
     * @type {Promise<string | null>}
     */
    this.opened = new Promise((resolve) => (this.#settle = resolve));
    this.limit(timeoutMs);
  }

  /** @returns {boolean} whether it can carry messages */
  get isOpen() {
    return this.state === "open";
  }

  /** @returns {boolean} whether it is over; after a close frame it takes a moment */
  get hasEnded() {
    return this.state === "ended";
  }

  /**
   * Sets the time limit again.
   *
   * @param {number} [ms] from now; none: it may stay
   */
  limit(ms) {
    clearTimeout(this.#timer);
    if (ms !== undefined) this.#timer = setTimeout(() => this.fail("timeout"), ms);
  }

  /**
   * @param {string} _message
   * @param {(error?: Error | null) => void} [_taken] called when the kernel has taken it, or never will
   */
  send(_message, _taken) {}

  /** Reads nothing more. What has come by then may still be handed over. */
  pause() {}

  resume() {}

  /** Sends a close frame. */
  sendClose() {}

  /**
   * Ends it as it should: with a close frame, which the server answers.
   *
   * @param {number} timeoutMs
   * @returns {Promise<string>} how it ended
   */
  close(timeoutMs) {
    if (!this.isOpen) return Promise.resolve("not open");
    this.state = "closing";
    this.limit(timeoutMs);
    return new Promise((resolve) => {
      this.#settle = (how) => resolve(how ?? "");
      this.sendClose();
    });
  }

  /** Ends it without a close frame, and tells nobody. */
  reset() {
    if (this.isOpen || this.state === "closing") counts.connections_open -= 1;
    this.state = "ended";
    this.limit();
  }

  /**
   * Ends it from this side; only the first call counts.
   *
   * @param {string} how
   */
  fail(how) {
    this.end(how);
  }

  /** Its handshake is done. */
  open() {
    if (this.state !== "connecting") return;
    this.limit();
    this.state = "open";
    counts.connections_open += 1;
    if (!this.isReference) counts.connections_opened += 1;
    this.#settle(null);
  }

  /**
   * It is over.
   *
   * @param {string} how
   */
  end(how) {
    const { state } = this;
    if (state === "ended") return;
    this.state = "ended";
    this.limit();
    if (state !== "connecting") counts.connections_open -= 1;
    if (state !== "closing" && !this.isReference) counts.connections_failed += 1;
    if (state === "open") this.onEnd(how);
    else this.#settle(how);
  }
}
