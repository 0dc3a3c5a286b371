/**
 * Writes the pages over all published runs.
 *
 *     npm run generate
 */
import { join } from "node:path";
import { writePages } from "../src/commands/published-pages.js";

export const PROJECT = join(import.meta.dirname, "../../..");

if (import.meta.main) writePages(PROJECT);
