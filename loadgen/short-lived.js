/**
 * BalancerBattle's test: CONNECTIONS short WebSockets, CONCURRENCY at a time. Each sends MESSAGES messages of
 * MESSAGE_BYTES bytes, the next when the last has come back, and closes. It is a closed loop: a slow proxy is asked less.
 */
import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";
import { WebSocket } from "k6/websockets";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { summarise, trendStats } from "./lib/summary.js";
import { edge, now, runTags, scheme, url, waitForTarget } from "./lib/target.js";

const parameters = parametersOf(open("./short-lived.json"));
const { CONNECTIONS, CONCURRENCY, MESSAGES, MESSAGE_BYTES, TIMEOUT_SECONDS, LATENCY_SAMPLES } =
  parameters;
refuseMistakes();

const tags = runTags("short-lived");
const sampleEvery = Math.ceil(MESSAGES / LATENCY_SAMPLES);

const CAUSES = ["connect", "handshake", "timeout", "closed_early", "wrong_echo", "protocol"];

const handshake = new Trend("handshake_ms", true);
const echoLatency = new Trend("echo_latency_ms", true);
const total = new Trend("total_ms", true);
const opened = new Counter("connections_opened");
const failed = new Counter("connections_failed");
const echoed = new Counter("messages_echoed");

export const options = {
  scenarios: {
    "short-lived": {
      executor: "shared-iterations",
      vus: CONCURRENCY,
      iterations: CONNECTIONS,
      // What it takes when every connection runs into its time-out.
      maxDuration: `${Math.ceil(CONNECTIONS / CONCURRENCY) * TIMEOUT_SECONDS + 60}s`,
      gracefulStop: "0s",
    },
  },
  setupTimeout: "1h",
  // While the proxy is waited for, a refused request is no line in the log.
  throw: true,
  tags,
  // k6's own tags would multiply the series in InfluxDB.
  systemTags: [],
  summaryTrendStats: trendStats,
  thresholds: Object.fromEntries([
    ["connections_failed", ["count==0"]],
    // k6 sums up a tag's values apart only where a threshold names them.
    ...CAUSES.map((cause) => [`connections_failed{cause:${cause}}`, ["count>=0"]]),
  ]),
};

export function setup() {
  waitForTarget();
  edge("start");
  return { startedMs: Date.now() };
}

export default function () {
  const connection = exec.scenario.iterationInTest;
  let phase = "connect";
  let received = 0;
  let sent = "";
  let sentMs = 0;

  const startedMs = now();
  const socket = new WebSocket(url);

  /**
   * Only the first cause counts; every connection fails at most once.
   *
   * @param {string} [cause] none: the connection did all it should
   * @param {string} [detail]
   */
  const end = (cause, detail) => {
    if (phase === "ended") return;
    phase = "ended";
    clearTimeout(timer);
    if (received > 0) echoed.add(received);
    if (!cause) return;
    failed.add(1, { cause });
    // One line a VU is enough to see why.
    if (exec.vu.iterationInInstance === 0)
      console.error(`connection ${connection}: ${cause}: ${detail}`);
    socket.close();
  };
  const timer = setTimeout(
    () =>
      end(
        "timeout",
        `in phase "${phase}" after ${TIMEOUT_SECONDS} s, ${received} of ${MESSAGES} messages echoed`,
      ),
    TIMEOUT_SECONDS * 1000,
  );
  const send = () => {
    sent = message(connection, received);
    sentMs = now();
    socket.send(sent);
  };

  socket.addEventListener("open", () => {
    handshake.add(now() - startedMs);
    opened.add(1);
    phase = "echo";
    send();
  });
  socket.addEventListener("message", (event) => {
    const { data } = /** @type {{data: unknown}} */ (event);
    const latencyMs = now() - sentMs;
    if (phase !== "echo") return end("protocol", `a message came in phase "${phase}"`);
    if (data !== sent)
      return end(
        "wrong_echo",
        `message ${received} of ${sent.length} characters came back changed`,
      );
    if (received % sampleEvery === 0) echoLatency.add(latencyMs);
    received += 1;
    if (received < MESSAGES) return send();
    phase = "close";
    socket.close(1000);
  });
  socket.addEventListener("error", (event) => {
    const { error } = /** @type {{error: string}} */ (event);
    if (phase === "connect")
      return end(/bad handshake/.test(error) ? "handshake" : "connect", error);
    // k6 reports a close with a code other than the usual ones as an error.
    end(/websocket: close/.test(error) ? "closed_early" : "protocol", error);
  });
  socket.addEventListener("close", () => {
    if (phase === "close") return end();
    end("closed_early", `${received} of ${MESSAGES} messages echoed`);
  });
}

/** @param {{startedMs: number}} data what setup returned */
export function teardown({ startedMs }) {
  total.add(Date.now() - startedMs);
  edge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS} connections, ${CONCURRENCY} at a time, ${MESSAGES} × ${MESSAGE_BYTES} bytes each`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    notes: sampleEvery > 1 ? [`echo latency: every ${sampleEvery}th message of a connection`] : [],
  });
}

const filler = "x".repeat(MESSAGE_BYTES);

/**
 * Differs for each connection and message, so that an echo from elsewhere is noticed.
 *
 * @param {number} connection
 * @param {number} number of the message
 */
function message(connection, number) {
  return (`${connection}.${number} ` + filler).substring(0, MESSAGE_BYTES);
}
