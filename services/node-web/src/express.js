/**
 * Express, which reads its files from the disk for each request.
 */
import cluster from "node:cluster";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { contentOf, SIZES } from "./content.js";
import { serve } from "./serve.js";

const FOLDER = join(tmpdir(), "files");

if (cluster.isPrimary) {
  mkdirSync(FOLDER, { recursive: true });
  for (const bytes of SIZES) writeFileSync(join(FOLDER, String(bytes)), contentOf(bytes));
}

const app = express();
app.get("/healthz", (request, response) => {
  response.send("ok\n");
});
app.use("/files", express.static(FOLDER));

serve(app);
