export type { CheckResult } from "./conform.ts";
export type { ConformanceOptions } from "./conform.ts";

export { openWebSocket, connectTls } from "./connect.ts";
export { formatMatrix, formatResult } from "./format.ts";
export { runConformance } from "./conform.ts";
export { FIRST_GENERATION, reloadOf } from "./reload.ts";
export { negotiated, preferredCiphers } from "./tls-checks.ts";
