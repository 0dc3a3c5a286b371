/**
 * What `ws` exports beside its WebSocket, and its types do not tell: the two halves of one, for a
 * stream that is no socket.
 */
import type { Duplex, Writable } from "node:stream";

declare module "ws" {
  /**
   * Reads frames. Emits "message" (data, isBinary), "ping", "pong", "conclude" (code, reason: a
   * close frame), and "error".
   */
  class Receiver extends Writable {
    constructor(options?: { isServer?: boolean; maxPayload?: number });
  }

  /** Writes frames. */
  class Sender {
    constructor(stream: Duplex);
    send(
      data: string | Buffer,
      options: { binary: boolean; compress: boolean; fin: boolean; mask: boolean },
      written?: (error?: Error) => void,
    ): void;
    pong(data: Buffer, mask: boolean): void;
    close(code: number | undefined, reason: string, mask: boolean): void;
  }
}
