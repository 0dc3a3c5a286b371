/**
 * WebSockets over HTTP/2 (RFC 8441), several on one connection.
 */
import { addAbortListener, on, once } from "node:events";
import http2 from "node:http2";
import { Receiver, Sender } from "ws";
import { addressOf, connectTls, describeClose } from "./connect.ts";
import { ensure, Failure } from "./mismatch.ts";
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  Settings,
} from "node:http2";
import type { Message, Target } from "./connect.ts";

/** What RFC 6455 (section 7.1.5) has where no close frame came, and for one without a code. */
const NO_CLOSE_FRAME = 1006;
const NO_CODE = 1005;

/** RFC 9113, section 7: the place is the code. */
const ERROR_CODES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** How a stream ends that was not reset. */
export const END_STREAM = "END_STREAM";

/** a WebSocket on one stream of an HTTP/2 connection */
export interface Stream {
  /** of the answer */
  headers: IncomingHttpHeaders;
  /** next message in order of arrival; rejects when the stream ends */
  nextMessage: () => Promise<Message>;
  send: (message: string | Buffer) => void;
  /** sends a close frame */
  close: (code: number, reason: string) => void;
  /** code: of the close frame that came, or 1006; how the stream ended after it */
  ended: Promise<{ code: number; reason: string; how: string }>;
  /** reads nothing more, of this stream */
  pause: () => void;
  resume: () => void;
}

/**
 * @param target with scheme `wss`
 * @returns lack: why no WebSocket can be opened over HTTP/2, isHttp2: it was still chosen;
 *   the connection is closed when the check ends
 */
export async function offer(
  target: Target,
): Promise<
  { lack: string; isHttp2: boolean } | { session: ClientHttp2Session; localAddress: string }
> {
  const socket = await connectTls(target, { ALPNProtocols: ["h2", "http/1.1"] });
  if (socket.alpnProtocol !== "h2")
    return { lack: `no HTTP/2: ALPN chose ${socket.alpnProtocol || "nothing"}`, isHttp2: false };
  const session = http2.connect(`https://${addressOf(target)}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  // Whoever waits on the session or a stream sees its error; an error nobody waits for must not end
  // the process.
  session.on("error", () => {});
  addAbortListener(target.signal, () => session.destroy());
  const [settings]: Settings[] = await once(session, "remoteSettings");
  if (!settings.enableConnectProtocol)
    return { lack: "HTTP/2 without SETTINGS_ENABLE_CONNECT_PROTOCOL", isHttp2: true };
  return { session, localAddress: socket.localAddress ?? "" };
}

export async function openSession(
  target: Target,
): Promise<{ session: ClientHttp2Session; localAddress: string }> {
  const offered = await offer(target);
  if ("lack" in offered) throw new Failure(offered.lack);
  return offered;
}

/** @returns the answer to the handshake */
export async function connectStream(
  session: ClientHttp2Session,
  target: Target,
  { path = "/", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<{ stream: ClientHttp2Stream; status: number; headers: IncomingHttpHeaders }> {
  const stream = session.request(
    {
      ":method": "CONNECT",
      ":protocol": "websocket",
      ":scheme": "https",
      ":authority": addressOf(target),
      ":path": path,
      "sec-websocket-version": "13",
      ...headers,
    },
    { endStream: false },
  );
  stream.on("error", () => {});
  return answered(stream, session);
}

/** @returns of a plain request beside the WebSockets */
export async function getBeside(
  session: ClientHttp2Session,
  target: Target,
  path: string,
): Promise<{ status: number; body: string }> {
  const request = session.request({ ":path": path, ":authority": addressOf(target) });
  const { stream, status } = await answered(request, session);
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += chunk;
  return { status, body };
}

async function answered(stream: ClientHttp2Stream, session: ClientHttp2Session) {
  const early = once(stream, "close").then(() => {
    throw new Failure(`no answer: ${howEnded(stream, session)}`);
  });
  const [headers]: (IncomingHttpHeaders & { ":status"?: number })[] = await Promise.race([
    once(stream, "response"),
    early,
  ]);
  return { stream, status: headers[":status"] ?? 0, headers };
}

/** @returns after the handshake */
export async function openStream(
  session: ClientHttp2Session,
  target: Target,
  request?: { path?: string; headers?: Record<string, string> },
): Promise<Stream> {
  const { stream, status, headers } = await connectStream(session, target, request);
  ensure(status === 200, `HTTP status ${status} in answer to the extended CONNECT, not 200`);
  const receiver = new Receiver({ isServer: false });
  const sender = new Sender(stream);
  const messages = on(receiver, "message", { close: ["finish", "close"] });
  let close = { code: NO_CLOSE_FRAME, reason: "" };
  let isClosing = false;
  let how = "";
  const ended: PromiseWithResolvers<Awaited<Stream["ended"]>> = Promise.withResolvers();
  receiver.on("ping", (data) => sender.pong(data, true));
  receiver.on("conclude", (code, reason) => {
    close = { code, reason: reason.toString() };
    // A close frame is answered by one, but for the answer itself.
    if (!isClosing) sender.close(code === NO_CODE ? undefined : code, "", true);
  });
  receiver.on("error", ({ message }) => {
    how = `frames that are none: ${message}`;
    stream.destroy();
  });
  stream.on("data", (chunk) => receiver.write(chunk));
  stream.once("end", () => {
    how ||= END_STREAM;
    stream.end();
    receiver.end();
  });
  stream.once("close", () => {
    receiver.end();
    ended.resolve({ ...close, how: how || howEnded(stream, session) });
  });

  return {
    headers,
    ended: ended.promise,
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    send: (message) =>
      sender.send(message, {
        binary: Buffer.isBuffer(message),
        compress: false,
        fin: true,
        mask: true,
      }),
    close(code, reason) {
      isClosing = true;
      sender.close(code, reason, true);
    },
    async nextMessage() {
      const { done, value } = await messages.next();
      if (!done) return { data: value[0], isBinary: value[1] };
      const { code, reason, how: end } = await ended.promise;
      throw new Failure(`${describeClose(code, reason)} (${end})`);
    },
  };
}

/**
 * @param stream that has ended, and so has no session any more
 * @param session it was of
 */
function howEnded({ rstCode = 0 }: ClientHttp2Stream, session: ClientHttp2Session) {
  if (session.destroyed) return "the connection was closed";
  return `RST_STREAM with ${ERROR_CODES[rstCode] ?? rstCode}`;
}
