/**
 * What a run's results say: figures derived from each cell, what weakens them, comparisons, verdicts. It sees the record
 * alone, and gives the same for the same record.
 */
import { median } from "simple-statistics";
import { CONTROL } from "../proxies.js";
import { studyOf } from "./claims.js";
import { apart, compareAll, CONFIDENCE, settingKey } from "./compare.js";
import { findingsOf } from "./gates.js";
import { MEASURES, measuresOf } from "./measures.js";
import { verdictsOf } from "./verdicts.js";
import { counted, number } from "./words.js";

/** @import { TlsPolicy } from "../conformance/connect.js" */
/** @import { Results } from "../record/types.js" */
/** @import { PublishedRules } from "./claims.js" */
/** @import { AnalysedCell, Analysis, Finding } from "./types.js" */

export { readPublished } from "./claims.js";
export { MEASURES, measuresOf } from "./measures.js";

/**
 * @param {Results} results of a run, complete or not
 * @param {object} context
 * @param {TlsPolicy | null} context.policy of certs/policy.json; null: what TLS negotiated is not judged
 * @param {Analysis["noiseFloor"]} [context.noiseFloor]
 * @param {PublishedRules | null} [context.published]
 * @returns {Analysis}
 */
export function analyse(results, { policy, noiseFloor = null, published = null }) {
  const cells = analyseCells(results, policy);
  const settings = compareAll(results, cells);
  return {
    results,
    confidence: CONFIDENCE,
    measures: MEASURES,
    settings,
    cells,
    verdicts: verdictsOf({ results, settings, cells, noiseFloor }),
    findings: runFindings(results, cells),
    noiseFloor,
    published: published && studyOf(published, { results, settings, cells }),
  };
}

/**
 * @param {Results} results
 * @param {TlsPolicy | null} policy
 * @returns {AnalysedCell[]} every attempt, in the order of the record
 */
function analyseCells(results, policy) {
  const last = new Map(results.cells.map((record) => [record.id, record]));
  const profiles = new Map(results.plan.cells.map(({ id, profile }) => [id, profile]));
  return results.cells.map((record) => {
    const findings = findingsOf(record, {
      policy,
      keyType: results.plan.keyType,
      isControl: profiles.get(record.id) === CONTROL,
    });
    return {
      record,
      setting: settingKey(record),
      measures: measuresOf(record),
      findings,
      counted:
        record.status === "ok" &&
        last.get(record.id) === record &&
        findings.every(({ severity }) => severity !== "invalid"),
    };
  });
}

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function runFindings(results, cells) {
  const { plan } = results;
  const ended = new Set(cells.map(({ record }) => record.id));
  const open = plan.cells.filter(({ id, skip }) => !skip && !ended.has(id)).length;
  /** @type {Finding[]} */
  const findings = [];
  if (open > 0) {
    const message = `${open} of ${counted(plan.cells.length, "cell")} have not run: medians rest on fewer rounds than planned`;
    findings.push({ gate: "incomplete", severity: "weak", message });
  }
  return [...findings, ...cellFindings(cells), ...sharedCores(cells), ...unequalBudget(results)];
}

/**
 * What was found in single cells, summed up: once a gate.
 *
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function cellFindings(cells) {
  const ok = cells.filter(({ record }) => record.status === "ok");
  const all = ok.flatMap(({ record, findings }) =>
    findings.map((finding) => ({ record, finding, kind: `${finding.gate} ${finding.severity}` })),
  );
  return [...Map.groupBy(all, ({ kind }) => kind).values()].map((found) => {
    const { record, finding } = found[0];
    const affected = new Set(found.map((each) => each.record)).size;
    const message = `${affected} of ${counted(ok.length, "cell")}, such as ${record.id}: ${finding.message}`;
    return { ...finding, message };
  });
}

/**
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function sharedCores(cells) {
  const shared = cells.filter(
    ({ counted, record }) => counted && record.machine && record.loadCores >= record.machine.cores,
  );
  if (shared.length === 0) return [];
  const busy = shared.flatMap(({ measures }) => measures.machine_busy_percent ?? []);
  const { loadCores } = shared[0].record;
  return [
    {
      gate: "shared-cores",
      severity: "note",
      message: `load, proxy and echo server shared ${counted(loadCores, "core")}, busy to ${number(median(busy))} % (median over cells): latencies and connections per second are those of this machine with everything on it; CPU per operation is the figure to carry over`,
    },
  ];
}

/**
 * @param {Results} results
 * @returns {Finding[]}
 */
function unequalBudget({ plan, proxies }) {
  const several = proxies.filter(({ parts }) => parts.length > 1);
  if (plan.proxyCpus === 0 || several.length === 0) return [];
  return several.map(({ title, parts }) => ({
    gate: "unequal-budget",
    severity: "weak",
    message: `the CPU budget of ${counted(plan.proxyCpus, "core")} is each container's, and ${title} has ${parts.length}: it may use more than the others`,
  }));
}

/**
 * How far a proxy was from a copy of itself.
 *
 * @param {Results} aa of a run of `./bench aa`: two proxies of one profile
 * @param {Results} results whose noise floor is asked for
 * @returns {Analysis["noiseFloor"]} the largest ratio over all settings, by measure; null: made on another environment, or
 *   not of a pair
 */
export function noiseFloorOf(aa, results) {
  if (
    JSON.stringify(sorted(aa.environment.identity)) !==
    JSON.stringify(sorted(results.environment.identity))
  )
    return null;
  const byProfile = Map.groupBy(aa.plan.cells, ({ profile }) => profile);
  const pair = [...byProfile].find(
    ([, cells]) => new Set(cells.map(({ proxy }) => proxy)).size === 2,
  );
  if (!pair) return null;
  const { settings } = analyse(aa, { policy: null });
  /** @type {Record<string, number>} */
  const ratios = {};
  for (const comparison of settings.flatMap(({ comparisons }) => comparisons)) {
    const ratio = apart(comparison);
    if (ratio !== null)
      ratios[comparison.measure] = Math.max(ratio, ratios[comparison.measure] ?? 1);
  }
  if (Object.keys(ratios).length === 0) return null;
  return { run: aa.run.name, proxy: pair[0], ratios };
}

/** @param {Record<string, unknown>} record */
function sorted(record) {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
