/**
 * @callback Send
 * @param {object} message
 * @param {undefined} handle
 * @param {undefined} options
 * @param {(error: Error | null) => void} callback
 * @returns {boolean}
 */

/**
 * Either end of a cluster's IPC channel: `process` in a worker, a `Worker` in the primary.
 *
 * @typedef {object} Peer
 * @property {(event: "message", listener: (message: any) => void) => unknown} on
 * @property {Send} send
 */

let lastId = 0;
/** @type {Map<number, (value?: any) => void>} */
const waiting = new Map();

/**
 * Asks the other end a question. Both ends must have called `answer` before.
 *
 * @param {Peer} peer
 * @param {string} question name of one of the other end's handlers
 * @param {number} timeoutMs
 * @returns {Promise<any>} the handler's value; undefined when none came in time
 */
export function ask(peer, question, timeoutMs) {
  const id = ++lastId;
  return new Promise((resolve) => {
    /** @param {any} [value] */
    const settle = (value) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(value);
    };
    const timer = setTimeout(settle, timeoutMs);
    waiting.set(id, settle);
    send(peer, { id, question });
  });
}

/**
 * Answers what the other end asks.
 *
 * @param {Peer} peer
 * @param {Record<string, () => unknown>} handlers by question
 */
export function answer(peer, handlers) {
  peer.on("message", async ({ id, question, value }) => {
    if (question === undefined) waiting.get(id)?.(value);
    else send(peer, { id, value: await handlers[question]() });
  });
}

/**
 * @param {Peer} peer
 * @param {object} message
 */
function send(peer, message) {
  // With a callback no error is thrown: the other end may have died, and `ask` then times out.
  peer.send(message, undefined, undefined, () => {});
}
