/** @typedef {import("./conform.js").CheckResult} CheckResult */
/** @typedef {import("./conform.js").ConformanceOptions} ConformanceOptions */

export { openWebSocket, connectTls } from "./connect.js";
export { formatMatrix, formatResult } from "./format.js";
export { runConformance } from "./conform.js";
export { FIRST_GENERATION, reloadOf } from "./reload.js";
export { negotiated, preferredCiphers } from "./tls-checks.js";
