import cluster from "node:cluster";
import { ConfigError, readConfig } from "./config.js";
import { runPrimary } from "./primary.js";
import { runWorker } from "./worker.js";

try {
  const config = readConfig(process.env);
  await (cluster.isPrimary ? runPrimary(config) : runWorker(config));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`echo: ${error.message}`);
  process.exit(2);
}
