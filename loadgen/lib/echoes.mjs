/**
 * Messages on one connection and their echoes, which must come back unchanged and in order. Messages may be sent before the last has
 * come back.
 */

import { counts } from "./counts.mjs";

/** @import { HeldClient } from "./held-client.mjs" */

export class Echoes {
  /** Messages. */
  sent = 0;
  received = 0;
  /** The longest that one waited for its echo, in ms from when it was due. */
  longestMs = 0;
  #client;
  #message;
  #number;
  #onEcho;
  /** When they were due, from `#first` on those whose echoes are missing. @type {number[]} */
  #due = [];
  #first = 0;

  /**
   * @param {HeldClient} client that is open; its messages are these echoes
   * @param {object} options
   * @param {number} options.number of the connection
   * @param {(connection: number, number: number) => string} options.message makes each of its messages, of ASCII
   * @param {(latencyMs: number, dueMs: number, number: number) => void} options.onEcho number: of the message, from 0
   */
  constructor(client, { number, message, onEcho }) {
    this.#client = client;
    this.#number = number;
    this.#message = message;
    this.#onEcho = onEcho;
    client.onMessage = (data) => this.#echoed(data);
  }

  get missing() {
    return this.sent - this.received;
  }

  /** @returns {number} when the first was due whose echo is missing, by performance.now(); Infinity: none is */
  get waitsSinceMs() {
    return this.#due[this.#first] ?? Infinity;
  }

  /**
   * @param {number} dueMs when it should have been sent, by performance.now(): its latency counts from then
   * @param {(error?: Error | null) => void} [taken] as of `Client.send`
   */
  send(dueMs, taken) {
    this.#due.push(dueMs);
    this.#client.send(this.#message(this.#number, this.sent), taken);
    this.sent += 1;
  }

  /** @param {Buffer} data */
  #echoed(data) {
    const dueMs = this.#due[this.#first];
    if (dueMs === undefined) return this.#client.fail("error unasked message");
    if (data.toString("latin1") !== this.#message(this.#number, this.received))
      return this.#client.fail("error wrong echo");
    const latencyMs = performance.now() - dueMs;
    this.longestMs = Math.max(this.longestMs, latencyMs);
    this.received += 1;
    counts.ws_msgs_received += 1;
    this.#first += 1;
    // shift() would move all the others each time, of which there may be ten thousands.
    if (this.#first === this.#due.length) {
      this.#due = [];
      this.#first = 0;
    }
    this.#onEcho(latencyMs, dueMs, this.received - 1);
  }
}
