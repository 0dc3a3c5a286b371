/** @typedef {import("./run.js").CheckResult} CheckResult */
/** @typedef {import("./run.js").ConformanceOptions} ConformanceOptions */
/** @typedef {import("./connect.js").TlsPolicy} TlsPolicy */

export { formatResult } from "./format.js";
export { runConformance } from "./run.js";
