/**
 * One WebSocket from its handshake to its end, and what every scenario counts of it.
 */
import { Counter, Trend } from "k6/metrics";
import { WebSocket } from "k6/websockets";
import { isReference } from "./reference.js";
import { now, referenceUrl, url } from "./target.js";
import { after } from "./timer.js";

/** Why a connection failed. */
export const CAUSES = ["connect", "handshake", "timeout", "closed_early", "wrong_echo", "protocol"];

const handshake = new Trend("handshake_ms", true);
const echoLatency = new Trend("echo_latency_ms", true);

/** What is counted, of the proxy's connections and of the reference proxy's apart. */
const counters = {
  proxy: {
    opened: new Counter("connections_opened"),
    failed: new Counter("connections_failed"),
    echoed: new Counter("messages_echoed"),
  },
  reference: {
    opened: new Counter("reference_opened"),
    failed: new Counter("reference_failed"),
    echoed: new Counter("reference_echoed"),
  },
};

/** How many are open now, the reference proxy's too: each adds 1 as it opens, and takes it away as it ends. */
const openNow = new Counter("connections_open");

/** k6's `options.thresholds`: a failed connection fails the run. */
export const thresholds = Object.fromEntries([
  ["connections_failed", ["count==0"]],
  ["reference_failed", ["count==0"]],
  // k6 sums up a tag's values apart only where a threshold names them.
  ...CAUSES.map((cause) => [`connections_failed{cause:${cause}}`, ["count>=0"]]),
]);

/** readyState of an open socket. */
const OPEN = 1;

/** Whether this VU has said why a connection failed: one line a VU is enough. */
let told = false;

export class Connection {
  /** Messages that have come back. */
  received = 0;
  /** What to do next; each may be replaced. `onEnd` gets no argument; it is called once, after a failure too. */
  onOpen = () => {};
  onEcho = () => {};
  onEnd = () => {};

  #number;
  #message;
  #sampleEvery;
  #startedMs;
  #isReference;
  #counts;
  #socket;
  /** @type {"connect" | "open" | "close" | "ended"} */
  #phase = "connect";
  /** Empty: no echo is due. */
  #sent = "";
  #dueMs = 0;
  #callOffLimit = () => {};
  /** Among those that are open. */
  #isCounted = false;

  /**
   * Begins the handshake.
   *
   * @param {number} number unique in this container
   * @param {object} options
   * @param {(connection: number, number: number) => string} options.message makes each of its messages
   * @param {number} options.seconds it has failed when it is not through by then; see `limit`
   * @param {number} [options.sampleEvery] this many messages have one latency recorded
   * @param {boolean} [options.toReference] it goes to the reference proxy, as a share of all does by their number
   * @param {number} [options.dueMs] when it should have started, by `now()`: its handshake counts from then
   */
  constructor(
    number,
    { message, seconds, sampleEvery = 1, toReference = isReference(number), dueMs = now() },
  ) {
    this.#number = number;
    this.#startedMs = dueMs;
    this.#message = message;
    this.#sampleEvery = sampleEvery;
    this.#isReference = toReference;
    this.#counts = counters[this.#isReference ? "reference" : "proxy"];
    this.#socket = new WebSocket(this.#isReference ? referenceUrl : url);
    this.limit(seconds);
    // addEventListener would have k6 call each listener through Go's reflection.
    this.#socket.onopen = () => this.#opened();
    this.#socket.onmessage = (event) => this.#echoed(/** @type {{data: unknown}} */ (event).data);
    this.#socket.onerror = (event) => this.#broken(/** @type {{error: string}} */ (event).error);
    this.#socket.onclose = () => this.#closed();
  }

  /** @returns {boolean} whether it can carry messages */
  get isOpen() {
    return this.#phase === "open";
  }

  /** @returns {boolean} whether it leads to the reference proxy */
  get isReference() {
    return this.#isReference;
  }

  /** @returns {boolean} whether a message has not come back yet */
  get isWaiting() {
    return this.#phase === "open" && this.#sent !== "";
  }

  /**
   * Sets the time limit again.
   *
   * @param {number} [seconds] from now; none: it may stay
   */
  limit(seconds) {
    this.#callOffLimit();
    if (!seconds) return;
    const tooLate = () =>
      this.#end(
        "timeout",
        `in phase "${this.#phase}" after ${seconds} s, ${this.received} messages echoed`,
      );
    this.#callOffLimit = after(1000 * seconds, tooLate, now);
  }

  /** @param {number} [dueMs] when it should have been sent, by `now()`: its latency counts from then */
  send(dueMs = now()) {
    this.#sent = this.#message(this.#number, this.received);
    this.#dueMs = dueMs;
    this.#socket.send(this.#sent);
  }

  /**
   * Sends so many messages, the next when the last has come back, and closes.
   *
   * @param {number} messages
   */
  exchange(messages) {
    this.onOpen = () => this.send();
    this.onEcho = () => (this.received < messages ? this.send() : this.close());
  }

  /** Ends it as it should: with a close frame, which the server answers. */
  close() {
    if (this.#phase !== "open") return;
    this.#phase = "close";
    this.#socket.close(1000);
  }

  /**
   * Closes the TCP connection without a close frame. k6 has no call for that, but does so when a listener throws (websockets.go,
   * queueMessage, in 1.8 and 2.2). It ends the iteration as well, and is a line in k6's log: so one connection an iteration,
   * and to be called in `onEcho`, as the last thing.
   *
   * @returns {never}
   */
  drop() {
    this.#end();
    throw "dropped, as this scenario does";
  }

  #opened() {
    // It came too late.
    if (this.#phase === "ended") return this.#socket.close();
    if (!this.#isReference) handshake.add(now() - this.#startedMs);
    this.#counts.opened.add(1);
    openNow.add(1);
    this.#isCounted = true;
    this.#phase = "open";
    this.onOpen();
  }

  /** @param {unknown} data */
  #echoed(data) {
    const latencyMs = now() - this.#dueMs;
    if (!this.isWaiting)
      return this.#end("protocol", `a message came unasked in phase "${this.#phase}"`);
    if (data !== this.#sent) {
      const which = `message ${this.received} of ${this.#sent.length} characters`;
      return this.#end("wrong_echo", `${which} came back changed`);
    }
    this.#sent = "";
    // Each connection begins elsewhere, or all of their samples would be of the same moment.
    const isSampled = (this.#number + this.received) % this.#sampleEvery === 0;
    if (isSampled && !this.#isReference) echoLatency.add(latencyMs);
    this.received += 1;
    this.onEcho();
  }

  /** @param {string} error */
  #broken(error) {
    if (this.#phase === "connect")
      return this.#end(/bad handshake/.test(error) ? "handshake" : "connect", error);
    // k6 reports a close with a code other than the usual ones as an error.
    this.#end(/websocket: close/.test(error) ? "closed_early" : "protocol", error);
  }

  #closed() {
    if (this.#phase === "close") return this.#end();
    this.#end("closed_early", `${this.received} messages echoed`);
  }

  /**
   * Only the first call counts: a connection fails at most once.
   *
   * @param {string} [cause] none: it did all it should
   * @param {string} [detail]
   */
  #end(cause, detail) {
    if (this.#phase === "ended") return;
    this.#phase = "ended";
    this.limit();
    if (this.received > 0) this.#counts.echoed.add(this.received);
    if (this.#isCounted) openNow.add(-1);
    if (cause) {
      this.#counts.failed.add(1, { cause });
      const whose = this.#isReference ? ", to the reference proxy" : "";
      if (!told) console.error(`connection ${this.#number}${whose}: ${cause}: ${detail}`);
      told = true;
      // While it connects, k6 would wait in close(), and with it all other connections of this VU.
      if (this.#socket.readyState === OPEN) this.#socket.close();
    }
    this.onEnd();
  }
}
