/**
 * What a proxy does with WebSockets by itself, as it was found by looking.
 */

/** How a connection ended. */
export interface Ending {
  /** since its last message, or since the reload */
  seconds: number;
  /** of the close frame; 1006: there was none */
  code: number;
}

/** What could not be found, and why. */
export interface NotFound {
  failed: string;
}

/** For how long was looked, in seconds. */
export interface Watch {
  idle: number;
  /** between two pings of the client */
  ping: number;
  reload: number;
}

export interface Behaviour {
  /** null: a silent connection was open at the end of the watch */
  idle: Ending | null | NotFound;
  /** the same of a connection on which the client pings */
  pinged: Ending | null | NotFound;
  /** pings that nobody but the proxy can have sent to a silent client */
  ownPings: number | NotFound;
  /** who answers a client's ping; null: nobody */
  pong: "server" | "proxy" | null | NotFound;
  /** the largest that came back unchanged; null: none did */
  largestMessageBytes: number | null | NotFound;
  /** ended null: a connection that sends on was open at the end of the watch */
  reload: { ended: Ending | null } | "none" | NotFound;
  headers: HeadersSeen | NotFound;
  /** X-Forwarded-Proto over wss; null: there is none */
  secureProto: string | null | NotFound;
  /** what it agrees on with a client that offers what OpenSSL does */
  tls: { version: string; cipher: string; group: string } | NotFound;
}

/** Of a handshake at the server, beside what the client sent; and of the answer at the client. */
export interface HeadersSeen {
  /** null: as the client sent it */
  host: string | null;
  /** X-Forwarded-For has the client's address */
  tellsClient: boolean;
  /** what becomes of an X-Forwarded-For that the client sends */
  forged: "passed" | "appended" | "replaced" | "removed";
  /** X-Forwarded-Proto; null: there is none */
  proto: string | null;
  /** names, in lower case, without those above */
  added: string[];
  removed: string[];
  /** of the answer, beside those that a handshake needs */
  answerAdded: string[];
}
