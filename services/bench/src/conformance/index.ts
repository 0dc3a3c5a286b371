export type { CheckResult } from "./conform.ts";
export type { ConformanceOptions, Turns } from "./conform.ts";
export type { Checked, Matrix } from "./capabilities.ts";

export { openWebSocket, connectTls } from "./connect.ts";
export { matrixOf } from "./capabilities.ts";
export { decidingLines } from "./deciding-lines.ts";
export { formatResult } from "./format.ts";
export { HELD } from "./held-check.ts";
export { IDLE_MS, oneByOne, runConformance } from "./conform.ts";
export { drainOf, FIRST_GENERATION, reloadOf } from "./reload.ts";
export { negotiated, preferredCiphers } from "./tls-checks.ts";
