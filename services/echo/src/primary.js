import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { ConfigError } from "./config.js";
import { answer, ask } from "./ipc.js";
import { sumCounters } from "./stats.js";

const STOP_MS = 1500;
const COUNTERS_MS = 2000;
const SHORT_LIFE_MS = 1000;
const MAX_BACKOFF_MS = 5000;

/**
 * Starts the workers, replaces those that die and sums their counters. SIGTERM or SIGINT ends the
 * process.
 *
 * @param {import("./config.js").Config} config
 * @throws {ConfigError} when a port is not free
 */
export async function runPrimary(config) {
  await assertFree("ECHO_PORT", config.port);
  if (config.tls) await assertFree("ECHO_TLS_PORT", config.tlsPort);
  if (config.proxyProtocolPort)
    await assertFree("ECHO_PROXY_PROTOCOL_PORT", config.proxyProtocolPort);

  /** @type {Set<import("node:cluster").Worker>} */
  const serving = new Set();
  let workersReplaced = 0;
  let shortLives = 0;
  let stopping = false;

  /** @returns what GET /stats shows; undefined when a worker is silent: the sums would be wrong */
  async function collectStats() {
    const asked = [...serving].map((worker) => ask(worker, "counters", COUNTERS_MS));
    const workers = await Promise.all(asked);
    if (workers.includes(undefined)) return undefined;
    // What a replaced worker had counted is lost: readings compare only at equal `workersReplaced`.
    return {
      uptimeSeconds: process.uptime(),
      workersReplaced,
      ...sumCounters(workers),
      workers,
    };
  }

  function startWorker() {
    const startedAt = performance.now();
    const worker = cluster.fork();
    answer(worker, {
      stats: collectStats,
      listening: () => {
        serving.add(worker);
        if (serving.size < config.workers) return;
        const tls = config.tls ? ` and ${config.tlsPort} (wss)` : "";
        console.log(`echo: ${config.workers} workers listen on ${config.port} (ws)${tls}`);
      },
    });
    worker.once("exit", (code, signal) => {
      const wasServing = serving.delete(worker);
      if (stopping) return;
      const end = `echo: worker ${worker.id} ended (${signal ?? `exit code ${code}`})`;
      if (!wasServing && !signal) {
        // It would end so again.
        console.error(
          `${end} before it listened. Its own message is above: act on that, then start again.`,
        );
        process.exit(1);
      }
      shortLives = performance.now() - startedAt < SHORT_LIFE_MS ? shortLives + 1 : 0;
      const delayMs = shortLives && Math.min(50 * 2 ** shortLives, MAX_BACKOFF_MS);
      console.error(`${end}: replaced in ${delayMs} ms`);
      setTimeout(() => {
        if (stopping) return;
        workersReplaced += 1;
        startWorker();
      }, delayMs);
    });
  }

  function stop() {
    if (stopping) return;
    stopping = true;
    const running = Object.values(cluster.workers ?? {});
    for (const worker of running) worker?.process.kill("SIGTERM");
    // A worker that still runs at the deadline ends with its IPC channel.
    setTimeout(() => process.exit(0), STOP_MS);
    cluster.on("exit", () => Object.keys(cluster.workers ?? {}).length || process.exit(0));
  }

  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  for (let i = 0; i < config.workers; i++) startWorker();
}

/**
 * Workers share their ports (see worker.js): their own listen would succeed beside another echo
 * server too.
 *
 * @param {string} name
 * @param {number} port
 */
async function assertFree(name, port) {
  const probe = createServer().listen(port);
  try {
    await once(probe, "listening");
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new ConfigError(
      `${name}=${port}: cannot listen (${code}). Expected a free port that this user may open. Stop what listens there, or set ${name} to another.`,
    );
  }
  await once(probe.close(), "close");
}
