/** What a check found in place of what it expected. The message is what the user reads after "got". */
export class Failure extends Error {
  /** @override */
  name = "Failure";
}

/**
 * @param {boolean} ok
 * @param {string} actual what was found, shown when `ok` is false
 * @throws {Failure} when `ok` is false
 */
export function ensure(ok, actual) {
  if (!ok) {
    throw new Failure(actual);
  }
}

/** @type {Record<string, string>} */
const NETWORK_ERRORS = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ECONNRESET: "connection closed by the other side",
  EPIPE: "connection closed by the other side",
  EHOSTUNREACH: "host not reachable",
  ENETUNREACH: "network not reachable",
  ETIMEDOUT: "connection timed out",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name not found: no answer from the name server",
};

const NOT_TLS = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]);

/**
 * Whether a TLS handshake failed because the server ended it: by an alert, or by closing the connection.
 * Any other failure is the client's own, and says nothing about the server.
 *
 * @param {unknown} error
 * @returns {boolean}
 */
export function isRefusedByServer(error) {
  const code = codeOf(error);
  return isAlert(code) || code === "ECONNRESET" || code === "ERR_SSL_UNEXPECTED_EOF_WHILE_READING";
}

/**
 * @param {unknown} error
 * @param {string} address host and port the check talked to
 * @returns {string} the error in plain words, without a final full stop
 */
export function explain(error, address) {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const code = codeOf(error);
  if (code in NETWORK_ERRORS) {
    return `${NETWORK_ERRORS[code]} (${address}, ${code})`;
  }
  if (NOT_TLS.has(code)) {
    return `an answer that is not TLS (${address})`;
  }
  if (isAlert(code)) {
    return `TLS handshake refused by the server: ${alertOf(error)}`;
  }
  if (/CERT|SIGNATURE/.test(code)) {
    // Node adds advice of its own after a semicolon.
    return `certificate not accepted: ${error.message.split(";")[0]}`;
  }
  if (code.startsWith("HPE_")) {
    return `an answer that is not HTTP: ${error.message}`;
  }
  const status = /^Unexpected server response: (\d+)$/.exec(error.message)?.[1];
  if (status) {
    return `HTTP status ${status} in answer to the WebSocket handshake, not 101`;
  }
  return error.message || code || error.name;
}

/**
 * @param {unknown} error
 * @returns {string} the alert or the reason by which the server ended the handshake, in OpenSSL's words
 */
export function alertOf(error) {
  const { reason, message } = /** @type {{reason?: string, message: string}} */ (error);
  return reason ?? message;
}

/**
 * @param {unknown} error
 * @returns {string} Node's or OpenSSL's error code, empty when there is none
 */
function codeOf(error) {
  return String(/** @type {NodeJS.ErrnoException} */ (error).code ?? "");
}

/** @param {string} code */
function isAlert(code) {
  return code.startsWith("ERR_SSL_") && code.includes("_ALERT_");
}
