/**
 * What a check found instead of what it expected. The message is what the user reads after "got".
 */
export class Failure extends Error {
  /** @override */
  name = "Failure";
}

/**
 * @param actual what was found, shown when `ok` is false
 * @throws {Failure} when `ok` is false
 */
export function ensure(ok: boolean, actual: string) {
  if (!ok) {
    throw new Failure(actual);
  }
}

const NETWORK_ERRORS: Record<string, string> = {
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
 * Whether a TLS handshake failed because the server ended it: by an alert, or by closing the
 * connection. Any other failure is the client's own, and says nothing about the server.
 */
export function isRefusedByServer(error: unknown): boolean {
  const code = codeOf(error);
  return isAlert(code) || code === "ECONNRESET" || code === "ERR_SSL_UNEXPECTED_EOF_WHILE_READING";
}

/**
 * @param address host and port the check talked to
 * @returns the error in plain words, without a final full stop
 */
export function explain(error: unknown, address: string): string {
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

/** @returns the alert or the reason by which the server ended the handshake, in OpenSSL's words */
export function alertOf(error: unknown): string {
  const { reason, message } = error as { reason?: string; message: string };
  return reason ?? message;
}

/** @returns Node's or OpenSSL's error code, empty when there is none */
function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? "");
}

function isAlert(code: string) {
  return code.startsWith("ERR_SSL_") && code.includes("_ALERT_");
}
