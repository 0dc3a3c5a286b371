/** This many that were used are kept. */
const KEPT = 64;

/**
 * TLS sessions to be resumed. One that was not used yet comes first, as RFC 8446 (appendix C.4) advises for TLS 1.3. Where a server
 * gives a resumed connection no new one, as Node's does, those that were used serve again: a ticket that a server keeps no book of is as
 * good as before.
 */
export class Sessions {
  /** How often one was taken that had been used before. */
  repeated = 0;
  /** @type {Buffer[]} */
  #fresh = [];
  /** @type {Buffer[]} */
  #used = [];

  get count() {
    return this.#fresh.length + this.#used.length;
  }

  /** @param {Buffer} session */
  put(session) {
    this.#fresh.push(session);
  }

  /** @returns {Buffer | undefined} undefined: there never was one */
  take() {
    if (this.#fresh.length === 0 && this.#used.length > 0) this.repeated += 1;
    const session = this.#fresh.shift() ?? this.#used.shift();
    if (session) this.#used.push(session);
    if (this.#used.length > KEPT) this.#used.shift();
    return session;
  }
}
