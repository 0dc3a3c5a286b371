/** @typedef {import("./run.js").CheckResult} CheckResult */
/** @typedef {import("./run.js").ConformanceOptions} ConformanceOptions */
/** @typedef {import("./connect.js").TlsPolicy} TlsPolicy */

export { openWebSocket, connectTls } from "./connect.js";
export { formatResult } from "./format.js";
export { runConformance } from "./run.js";
export { negotiated } from "./tls-checks.js";
