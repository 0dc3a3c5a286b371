/**
 * TLS in depth: CONNECTIONS short WebSockets over TLS_VERSION, CONNECTIONS_PER_SECOND, each with a
 * full handshake or one that resumes an earlier session (RESUMED), one echoed message, and a close
 * frame. It is an open loop: connections are due whatever the proxy does, and a handshake counts
 * from when its connection was due.
 *
 * Why Node: k6 makes a full handshake for every connection and has no other; `openssl s_time`
 * carries no WebSocket. Node takes version and session per connection, and reports the outcome
 * (getProtocol, isSessionReused): another outcome is a failure with cause "tls".
 *
 * It costs this client about 1.05 ms of CPU with a full handshake and 0.8 ms with a resumed one
 * (1,000 connections each over loopback, Node 24, without its start): as much as a proxy's or
 * more. At a rate it wakes for each: 2.6 to 3.1 ms at 200 per second on a slow machine of 2 cores,
 * where it took 1.4 in a closed loop. So the rate must leave it idle half of the time; otherwise
 * it is the limit, but only through the fast proxies.
 */
import { messagesOf } from "./lib/message.js";
import { edge, main, readPolicy, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { atRate } from "./lib/rate.mjs";
import { isReference, withReference } from "./lib/reference.js";
import { Samples } from "./lib/samples.mjs";
import { Sessions } from "./lib/sessions.mjs";
import { summarise } from "./lib/summary.js";
import { CAUSES, exchange } from "./lib/tls-connection.mjs";
import { secureContextOf } from "./lib/tls-context.mjs";

/** @import { TLSSocket } from "node:tls" */
/** @import { TlsPolicy } from "./lib/node.mjs" */

/** Full handshakes before the measured phase: they get the first sessions to be resumed, and this client is slower before them (JIT). */
const FIRST = 50;

/** What k6 ends with when a connection has failed. */
const FAILED = 99;

/**
 * The last certificate that was looked at: reading its key is expensive, and it is the same every time.
 *
 * @type {{raw: Buffer, keyType: string} | undefined}
 */
let seen;

await main(async () => {
  const scenario = scenarioOf("tls-handshake");
  const { parameters, scheme, tags } = scenario;
  const { CONNECTIONS, CONNECTIONS_PER_SECOND, CONCURRENCY } = parameters;
  const { MESSAGE_BYTES, TIMEOUT_SECONDS, TLS_VERSION, RSA_BITS } = parameters;
  const isResumed = parameters.RESUMED === 1;
  const keyType = RSA_BITS ? `rsa ${RSA_BITS}` : "ec prime256v1";
  const proxy = { host: scenario.host, sessions: new Sessions() };
  const reference = { host: scenario.referenceHost, sessions: new Sessions() };
  const samples = new Samples(process.env.SAMPLES_CSV);
  const message = messagesOf(MESSAGE_BYTES);
  const policy = readPolicy();
  const version = /** @type {import("node:tls").SecureVersion} */ (`TLSv${TLS_VERSION}`);
  const secureContext = secureContextOf(policy, version);
  /** @type {Record<string, number>} */
  const counts = {};
  const count = (/** @type {string} */ metric) => (counts[metric] = (counts[metric] ?? 0) + 1);

  /**
   * @param {number} number of the connection: by it, a share of all goes to the reference proxy
   * @param {boolean} resumes
   * @param {number} dueMs on the clock of performance.now()
   */
  const connect = (number, resumes, dueMs) => {
    const { host, sessions } = isReference(number) ? reference : proxy;
    const session = resumes ? sessions.take() : undefined;
    return exchange({
      url: `wss://${host}:${scenario.port}/`,
      tls: { host, port: scenario.port, secureContext, session },
      message: message(number, 0),
      dueMs,
      timeoutMs: TIMEOUT_SECONDS * 1000,
      isReference: isReference(number),
      mistakeOf: (socket) => mistakeOf(socket, { version, resumes, keyType, policy }),
      onSession: (fresh) => isResumed && sessions.put(fresh),
    });
  };

  await waitForTarget(scenario);
  const all = withReference(CONNECTIONS);
  const rate = {
    perSecond: (CONNECTIONS_PER_SECOND * all) / CONNECTIONS,
    atMost: withReference(CONCURRENCY),
    isCounted: (/** @type {number} */ number) => !isReference(number),
  };
  // Whatever fails here fails in the load too, where it is counted.
  await atRate({ ...rate, count: FIRST }, async (number, dueMs) => {
    await connect(number, false, dueMs);
  });
  if (isResumed && proxy.sessions.count === 0)
    throw new Error(`the proxy gave no session over TLS ${TLS_VERSION}: nothing can be resumed`);
  await edge("start");
  const startedMs = performance.now();
  const sends = await atRate({ ...rate, count: all }, async (number, dueMs) => {
    const { cause, detail, handshakeMs, echoMs } = await connect(number, isResumed, dueMs);
    if (isReference(number)) {
      if (handshakeMs !== null) count("reference_opened");
      if (echoMs !== null) count("reference_echoed");
      if (cause && count("reference_failed") === 1)
        console.error(`connection ${number}, to the reference proxy: ${cause}: ${detail}`);
      return;
    }
    if (handshakeMs !== null) {
      count("connections_opened");
      samples.add("handshake_ms", handshakeMs);
    }
    if (echoMs !== null) {
      count("messages_echoed");
      samples.add("echo_latency_ms", echoMs);
    }
    if (!cause) return;
    if (count("connections_failed") === 1)
      console.error(`connection ${number}: ${cause}: ${detail}`);
    count(`connections_failed{cause:${cause}}`);
  });
  samples.add("total_ms", performance.now() - startedMs);
  await edge("end");

  samples.end();
  const { stdout } = summarise(samples.data(counts), {
    title: `${CONNECTIONS} connections, ${CONNECTIONS_PER_SECOND} per second, TLS ${TLS_VERSION}, ${isResumed ? "resumed" : "full"} handshakes, ${keyType}`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    sendsOf: () => sends,
    notes: proxy.sessions.repeated
      ? [`${proxy.sessions.repeated} handshakes resumed a session that had been resumed before`]
      : [],
  });
  console.log(stdout.trimEnd());
  return counts.connections_failed || counts.reference_failed ? FAILED : 0;
});

/**
 * That the certificate is good, tls.connect() has made sure; a resumed handshake brings none.
 *
 * @param {TLSSocket} socket after its handshake
 * @param {{version: string, resumes: boolean, keyType: string, policy: TlsPolicy}} expected
 * @returns {string | null} what is not as expected
 */
function mistakeOf(socket, { version, resumes, keyType, policy }) {
  const came = socket.getProtocol();
  if (came !== version) return `${came} was negotiated, expected ${version}`;
  if (socket.isSessionReused() !== resumes)
    return resumes ? "a full handshake where a session was offered" : "a session was resumed";
  if (resumes) return null;
  const { name = "none" } = /** @type {{name?: string}} */ (socket.getEphemeralKeyInfo() ?? {});
  if (!policy.groups.includes(name))
    return `the key exchange's group is ${name}, expected ${policy.groups.join(" or ")}`;
  const key = keyTypeOf(socket);
  return key === keyType ? null : `the certificate's key is ${key}, expected ${keyType}`;
}

/** @param {TLSSocket} socket */
function keyTypeOf(socket) {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return "missing";
  const { raw } = certificate;
  if (!seen?.raw.equals(raw)) {
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const { namedCurve, modulusLength } = asymmetricKeyDetails ?? {};
    seen = { raw, keyType: `${asymmetricKeyType} ${namedCurve ?? modulusLength}` };
  }
  return seen.keyType;
}
