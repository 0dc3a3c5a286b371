/**
 * What a run's results say: figures derived from each cell, what weakens them, comparisons, verdicts. It sees the record
 * alone, and gives the same for the same record.
 */
import { median } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { workloadOf } from "../plan/workload.js";
import { floorOf, pairOf, sameWorkOf, selfComparisonOf, selfVerdicts } from "./self-comparison.js";
import { badAnswersOf } from "./bad-answers.js";
import { studyOf } from "./claims.js";
import { coursesOf } from "./courses.js";
import { compareAll, CONFIDENCE, settingKey, settingsOf } from "./settings.js";
import { findingsOf, isVoidedBy, summedUp } from "./gates.js";
import { delaysOf } from "./delays.js";
import { equalLoadsOf } from "./equal-load.js";
import { heldAgainstReference } from "./reference.js";
import { handshakesOf } from "./handshakes.js";
import { multiplexingOf } from "./multiplexing.js";
import { networkCostsOf } from "./networks.js";
import { MEASURES, measuresOf } from "./measures.js";
import { operationCostsOf, withOperationCosts } from "./operation-costs.js";
import { capacitiesOf, capacityAlone, withoutCapacity } from "./capacities.js";
import { cpuByPlaceOf } from "./places.js";
import { verdictsOf } from "./questions.js";
import { overviewOf } from "./overview.js";
import { poolsOf } from "./pooling.js";
import { slopesOf } from "./slopes.js";
import { experimentsAlone, withoutExperiments } from "./experiments.js";
import { stallsOf } from "./slow-readers.js";
import { stormsOf } from "./storm.js";
import { survivalsOf } from "./survivals.js";
import { isWithProxy } from "../record/carriers.js";

/** @import { TlsPolicy } from "../model/environment.ts" */
/** @import { Environment } from "../model/environment.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { PublishedRules } from "./claims.js" */
/** @import { AnalysedCell, Analysis, Finding, NoiseFloor } from "./types.js" */

export { claimTable } from "./claim-table.js";
export { readPublished } from "./claims.js";
export { CELL_MEASURES, MEASURES, measuresOf } from "./measures.js";

/**
 * @param {Results} whole record of a run, complete or not
 * @param {object} context
 * @param {TlsPolicy | null} context.policy of certs/policy.json; null: what TLS negotiated is not judged
 * @param {NoiseFloor | null} [context.noiseFloor] of an A/A run on the same environment
 * @param {PublishedRules | null} [context.published]
 * @param {string[] | null} [context.proxies] those to compare, and the control; the machine index stays that of all cells. null: all
 * @returns {Analysis}
 */
export function analyse(whole, { policy, noiseFloor = null, published = null, proxies = null }) {
  const recorded = proxies ? ofProxies(whole, proxies) : whole;
  const results = withoutExperiments(withoutCapacity(recorded));
  const experimentCells = analyseCells(experimentsAlone(recorded), policy);
  const { cells: held, machineIndices } = heldAgainstReference(
    analyseCells(withoutExperiments(withoutCapacity(whole)), policy),
  );
  const own = new Set(results.cells);
  const cells = withOperationCosts(
    settingsOf(results),
    held.filter(({ record }) => own.has(record)),
  );
  const settings = compareAll(results, cells);
  const pools = poolsOf(results, settings, cells);
  const slopes = slopesOf(results, cells);
  const capacities = capacitiesOf(recorded);
  const handshakes = handshakesOf(results, settings, cells);
  const delays = delaysOf(results, settings, cells);
  const survivals = survivalsOf(recorded, experimentCells);
  const aa = selfComparisonOf({ results, settings, cells });
  const floor = aa ? null : noiseFloor;
  const answered = aa
    ? selfVerdicts({ results, settings, cells }, aa)
    : verdictsOf({
        ...{ results, settings, pools, cells, slopes, handshakes, delays },
        noiseFloor: floor,
      });
  return {
    results: recorded,
    confidence: CONFIDENCE,
    measures: MEASURES,
    settings,
    pools,
    machineIndices,
    slopes,
    courses: coursesOf(results, settings, cells),
    delays,
    equalLoads: equalLoadsOf(settings, cells),
    operationCosts: operationCostsOf(settings),
    countsSocketBuffers: countsSocketBuffers(results.environment),
    cells,
    badAnswers: badAnswersOf(results, settings, cells),
    cpuByPlace: cpuByPlaceOf(results, settings, cells),
    handshakes,
    multiplexing: multiplexingOf(results, settings, cells),
    networkCosts: networkCostsOf(results, settings, cells),
    capacities,
    searchCells: analyseCells(capacityAlone(recorded), policy),
    survivals,
    storms: stormsOf(recorded, experimentCells),
    stalls: stallsOf(recorded, experimentCells),
    experimentCells,
    ...answered,
    overview: aa
      ? null
      : overviewOf({
          ...{ results: recorded, asked: answered.asked, slopes, delays, machineIndices },
          ...{ survivals, capacities },
        }),
    findings: runFindings(recorded, [...cells, ...experimentCells]),
    aa,
    sameWork: sameWorkOf({ results, settings, cells }),
    noiseFloor: floor,
    published: published && studyOf(published, { results, settings, cells, slopes }),
  };
}

/**
 * @param {Results} results
 * @param {string[]} names of proxies
 * @returns {Results} with their cells and those of the control alone
 */
function ofProxies(results, names) {
  const isOwn = (/** @type {string} */ proxy) => proxy === CONTROL || names.includes(proxy);
  const { plan, proxies, cells } = results;
  return {
    ...results,
    proxies: proxies.filter(({ name }) => isOwn(name)),
    plan: {
      ...plan,
      proxies: plan.proxies.filter(isOwn),
      cells: plan.cells.filter(({ proxy }) => isOwn(proxy)),
    },
    cells: cells.filter(({ proxy }) => isOwn(proxy)),
  };
}

/**
 * @param {Environment} environment
 * @returns {boolean | null} as of `Analysis`. The kernel's documentation: under v1 they have a counter of their own
 *   (cgroup-v1/memory.rst, 2.7.2, kmem.tcp.usage_in_bytes), under v2 they are in memory.current (cgroup-v2.rst, memory.stat, sock)
 */
function countsSocketBuffers({ identity: { cgroup } }) {
  return cgroup === "v1" ? false : cgroup === "v2" ? true : null;
}

/**
 * @param {Results} results
 * @param {TlsPolicy | null} policy
 * @returns {AnalysedCell[]} every attempt, in the order of the record; figures as they were measured
 */
export function analyseCells(results, policy) {
  const last = new Map(results.cells.map((record) => [record.id, record]));
  const profiles = new Map(results.plan.cells.map(({ id, profile }) => [id, profile]));
  return results.cells.map((record) => {
    const workload = workloadOf(results.plan, record);
    const findings = findingsOf(record, {
      workload,
      policy,
      keyType: results.plan.keyType,
      isControl: profiles.get(record.id) === CONTROL,
      isBeside: results.plan.sideBySide,
    });
    return {
      record,
      setting: settingKey(record),
      workload,
      measures: withoutVoided(measuresOf(record, workload), findings),
      findings,
      counted:
        record.status === "ok" &&
        last.get(record.id) === record &&
        findings.every(({ severity }) => severity !== "invalid"),
    };
  });
}

/**
 * @param {Record<string, number>} measures
 * @param {Finding[]} findings
 */
function withoutVoided(measures, findings) {
  return Object.fromEntries(
    Object.entries(measures).filter(
      ([key]) => !findings.some((finding) => isVoidedBy(finding, key)),
    ),
  );
}

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function runFindings(results, cells) {
  const { plan } = results;
  const ended = new Set(results.cells.map(({ id }) => id));
  const open = plan.cells.filter(({ id, skip }) => !skip && !ended.has(id)).length;
  /** @type {Finding[]} */
  const findings = [];
  if (open > 0) {
    const figures = { open, planned: plan.cells.length };
    findings.push({ gate: "incomplete", severity: "weak", figures });
  }
  return [
    ...findings,
    ...cellFindings(cells),
    ...sharedCores(cells),
    ...oneMachine(cells),
    ...unobserved(results),
    ...clientChoosesCipher(results),
    ...variants(results),
  ];
}

/**
 * What was found in single cells, summed up: once a gate.
 *
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function cellFindings(cells) {
  const ok = cells.filter(({ record }) => record.status === "ok");
  const found = ok.flatMap(({ record, findings }) =>
    findings.map((finding) => ({ record, finding })),
  );
  return summedUp(found, ok.length);
}

/**
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]}
 */
function sharedCores(cells) {
  const shared = cells.filter(
    ({ counted, record }) =>
      counted &&
      record.machine &&
      record.loadCores >= record.machine.cores &&
      isWithProxy(record, "load"),
  );
  if (shared.length === 0) return [];
  const busy = shared.flatMap(({ measures }) => measures.machine_busy_percent ?? []);
  const figures = { cores: shared[0].record.loadCores, busyPercent: median(busy) };
  return [{ gate: "shared-cores", severity: "note", figures }];
}

/**
 * @param {AnalysedCell[]} cells
 * @returns {Finding[]} one for each machine that has several engines of hosts.yaml
 */
function oneMachine(cells) {
  const groups = cells.flatMap(({ record }) =>
    Object.entries(record.machines ?? {}).flatMap(([name, { sameMachineAs }]) =>
      sameMachineAs ? [[name, ...sameMachineAs].sort()] : [],
    ),
  );
  const once = new Map(groups.map((names) => [names.join(), names]));
  return [...once.values()].map((names) => {
    return { gate: "one-machine", severity: "note", figures: { names } };
  });
}

/**
 * @param {Results} results
 * @returns {Finding[]}
 */
function unobserved({ plan, proxies }) {
  const names = new Set(
    plan.cells.flatMap(({ proxy, observed }) => (observed === false ? [proxy] : [])),
  );
  if (names.size === 0) return [];
  const own = proxies.map(({ name }) => name).filter((name) => names.has(name));
  return [{ gate: "unobserved", severity: "note", figures: { proxies: own } }];
}

/**
 * @param {Results} results
 * @returns {Finding[]}
 */
function clientChoosesCipher({ cells, proxies }) {
  const measured = new Set(cells.flatMap(({ proxy, tls }) => (tls ? [proxy] : [])));
  const names = proxies
    .filter(({ name, choosesTls13Cipher }) => choosesTls13Cipher === false && measured.has(name))
    .map(({ name }) => name);
  if (names.length === 0) return [];
  return [{ gate: "client-chooses-cipher", severity: "note", figures: { proxies: names } }];
}

/**
 * @param {Results} results
 * @returns {Finding[]}
 */
function variants({ cells, proxies }) {
  const measured = new Set(cells.map(({ proxy }) => proxy));
  const found = proxies.flatMap(({ name, variantOf }) =>
    variantOf && measured.has(name)
      ? [{ proxy: name, of: variantOf.proxy, differs: variantOf.differs }]
      : [],
  );
  if (found.length === 0) return [];
  return [{ gate: "variants", severity: "note", figures: { variants: found } }];
}

/**
 * How far a proxy was from a copy of itself.
 *
 * @param {Results} aa of any run; only one of `./bench aa` has two proxies of one profile
 * @param {Results} results whose noise floor is asked for
 * @returns {NoiseFloor | null} null: made on another environment, or not of a pair
 */
export function noiseFloorOf(aa, results) {
  if (!isSameEnvironment(aa.environment.identity, results.environment.identity)) return null;
  if (!pairOf(aa.plan)) return null;
  const { cells: held } = heldAgainstReference(analyseCells(aa, null));
  const cells = withOperationCosts(settingsOf(aa), held);
  return floorOf({ results: aa, cells }, results.plan.rounds);
}

/** Keys of an environment's identity that only a run with that proxy has. */
const OF_PROXIES = /^(image of |proxies\/)/;

/**
 * Two runs of different proxies: what both have must be the same, and beyond that each may have proxies of its own.
 *
 * @param {Environment["identity"]} a
 * @param {Environment["identity"]} b
 */
function isSameEnvironment(a, b) {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    key in a && key in b ? a[key] === b[key] : OF_PROXIES.test(key),
  );
}
