/**
 * Settings that ask the same of a proxy, with other numbers of connections: what they say together.
 */
import { mean } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { roundsBySetting } from "../plan/rounds.js";
import { connectionsInAll, sizeNames, without } from "../plan/workload.js";
import { mannWhitney, superiority } from "../statistics/index.js";
import { badPercentOf } from "./bad-answers.js";
import { measure } from "./measures.js";
import { sourcesOf } from "./operation-costs.js";
import { allPairs, ALPHA, LEAST_ROUNDS } from "./ranking.js";
import { compare, SettingData, settingKey, settingsOf, stratifiedRatioOf } from "./settings.js";

/** @import { Results } from "../model/record.ts" */
/** @import { Stratum } from "../statistics/van-elteren.js" */
/** @import { Sources } from "./operation-costs.js" */
/** @import { AnalysedCell, Finding, GateFigures, Missing, PlannedPool, Ratio, Setting } from "./types.js" */

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {PlannedPool[]} in the order of the settings
 */
export function poolsOf(results, settings, cells) {
  const described = settingsOf(results);
  const compared = new Map(described.map((setting) => [setting.key, setting.compared]));
  const planned = new Map(
    roundsBySetting(results.plan).map(({ cell, rounds }) => [settingKey(cell), rounds]),
  );
  const roundsOf = (/** @type {Setting} */ { key }) => planned.get(key) ?? 0;
  const families = Map.groupBy(settings, (setting) => {
    const { scenario, scheme, parameters, workload } = setting;
    const rest = without(parameters, sizeNames(workload));
    return `${roundsOf(setting)} ${settingKey({ scenario, scheme, parameters: rest })}`;
  });
  return [...families.values()].map((family) => {
    const rounds = roundsOf(family[0]);
    if (family.length === 1)
      return { rounds, settings: family, comparisons: family[0].comparisons };
    const sorted = family.toSorted(
      (a, b) => connectionsInAll(a.workload) - connectionsInAll(b.workload),
    );
    const measured = Map.groupBy(
      sorted.flatMap((setting) =>
        (compared.get(setting.key) ?? []).map((one) => ({ ...one, setting })),
      ),
      ({ key }) => key,
    );
    const comparisons = [...measured.values()].map((own) => {
      const [{ key, control }] = own;
      const strata = own.map(({ setting }) => ({
        setting,
        figure: { measure: key, sources: sourcesOf(setting, key, described) },
      }));
      return compare(measure(key), control, new PoolData(results, strata, cells, key));
    });
    return { rounds, settings: sorted, comparisons };
  });
}

/** The values of one measure in several settings, which are its strata. */
export class PoolData {
  /**
   * @param {Results} results
   * @param {{setting: Setting, figure: {measure: string, sources: Sources | null}}[]} strata that compare it
   * @param {AnalysedCell[]} cells
   * @param {string} key of the measure
   */
  constructor(results, strata, cells, key) {
    this.results = results;
    this.measure = key;
    this.contenders = results.plan.proxies.filter((name) => name !== CONTROL);
    const planned = strata.map(({ setting, figure }) => ({
      connections: connectionsInAll(setting.workload),
      data: new SettingData(results, setting.key, cells, figure),
    }));
    const measured = planned.filter(({ data }) =>
      this.contenders.some((name) => data.samples(name).length > 0),
    );
    const all = measured.length > 0 ? measured : planned;
    // Where a contender's figures are void, whoever is left is no sample: such a setting counts for none.
    const whole = all.filter(({ data }) => !this.contenders.some((name) => data.isVoided(name)));
    this.settings = whole.length > 0 ? whole : all;
    this.leftOut = all.filter((one) => !this.settings.includes(one));
    this.cells = [...new Set(this.settings.flatMap(({ data }) => data.cells))];
  }

  /** @param {string} proxy */
  badPercent(proxy) {
    return badPercentOf(this.cells, proxy);
  }

  /**
   * @param {string} proxy
   * @returns {number[]} means over its settings, of the rounds that have the most of them
   */
  values(proxy) {
    const rounds = Map.groupBy(
      this.settings.flatMap(({ data }) => [...(data.rounds.get(proxy) ?? [])]),
      ([round]) => round,
    );
    const most = Math.max(...[...rounds.values()].map(({ length }) => length));
    return [...rounds]
      .filter(([, values]) => values.length === most)
      .sort(([a], [b]) => a - b)
      .map(([, values]) => mean(values.map(([, value]) => value)));
  }

  /**
   * @param {string} proxy
   * @returns {number[][]} its values in each setting in which it has any
   */
  samples(proxy) {
    return this.settings.flatMap(({ data }) => data.samples(proxy));
  }

  /**
   * @param {string} a
   * @param {string} b
   * @returns {Stratum[]} of the settings that both have
   */
  strata(a, b) {
    return this.settings.flatMap(({ data }) => data.strata(a, b));
  }

  /**
   * With other settings its figures have another level: it is held against each other proxy in those that both have.
   *
   * @param {string} proxy
   * @returns {number} how often it is the higher of two, from 0 to 1
   */
  standing(proxy) {
    const shares = this.contenders.flatMap((other) => {
      const strata = other === proxy ? [] : this.strata(proxy, other);
      return strata.length > 0 ? [superiority(strata)] : [];
    });
    return shares.length > 0 ? mean(shares) : 0.5;
  }

  /**
   * @param {string} a
   * @param {string} b
   * @returns {Ratio | null}
   */
  ratio(a, b) {
    return stratifiedRatioOf(
      this.settings.flatMap(({ data }) => {
        const [own, others] = [a, b].map((name) => data.rounds.get(name) ?? new Map());
        return own.size > 0 && others.size > 0 ? [[own, others]] : [];
      }),
    );
  }

  /**
   * @param {string} a
   * @param {string} b
   */
  areOpposite(a, b) {
    return this.#directions(a, b).every((connections) => connections.length > 0);
  }

  /**
   * Each setting by itself and uncorrected, so that a change of direction is noticed sooner than a difference is claimed. Of two equal
   * proxies in three settings, 4 pairs of 1,000 come out opposite all the same.
   *
   * @param {string} a
   * @param {string} b
   * @returns {[lower: number[], higher: number[]]} connections of the settings in which a is lower, and in which it is higher
   */
  #directions(a, b) {
    const seen = this.settings.flatMap(({ connections, data }) =>
      data
        .strata(a, b)
        .filter((one) => one.every(({ length }) => length >= LEAST_ROUNDS))
        .map(([own, others]) => ({
          connections,
          size: own.length * others.length,
          ...mannWhitney(own, others),
        })),
    );
    const different = seen.filter(({ p }) => p <= ALPHA);
    const of = (/** @type {boolean} */ isLower) =>
      different
        .filter(({ u, size }) => u < size / 2 === isLower)
        .map(({ connections }) => connections);
    return [of(true), of(false)];
  }

  /**
   * @param {string} proxy
   * @returns {boolean} it was measured, and in no setting all contenders' figures count
   */
  isVoided(proxy) {
    return this.settings.some(({ data }) => data.isVoided(proxy));
  }

  /**
   * @param {string} proxy
   * @returns {Missing[]} why it has no value
   */
  missing(proxy) {
    const reasons = this.settings.flatMap(({ data }) => data.missing(proxy));
    return [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
  }

  /** @returns {Finding[]} what is to be said of a pool */
  findings() {
    return [...this.#leftOutFindings(), ...this.#lacking(), ...this.#opposite()];
  }

  /** @returns {Finding[]} */
  #leftOutFindings() {
    if (this.leftOut.length === 0) return [];
    const proxies = this.contenders.filter((name) =>
      this.leftOut.some(({ data }) => data.isVoided(name)),
    );
    const connections = this.leftOut.map((one) => one.connections);
    return [{ gate: "left-out", severity: "weak", figures: { proxies, connections } }];
  }

  /** @returns {Finding[]} */
  #lacking() {
    const proxies = this.contenders.flatMap((proxy) => {
      const lacking = this.settings.filter(({ data }) => data.values(proxy).length === 0);
      if (lacking.length === 0 || lacking.length === this.settings.length) return [];
      return [{ proxy, connections: lacking.map(({ connections }) => connections) }];
    });
    if (proxies.length === 0) return [];
    return [{ gate: "lacks-settings", severity: "weak", figures: { proxies } }];
  }

  /** @returns {Finding[]} */
  #opposite() {
    const isLowerBetter = measure(this.measure).better === "lower";
    /** @type {GateFigures["opposite"]["pairs"]} */
    const pairs = allPairs(this.contenders)
      .filter((pair) => this.areOpposite(...pair))
      .map((proxies) => {
        const [lower, higher] = this.#directions(...proxies);
        return { proxies, better: isLowerBetter ? [lower, higher] : [higher, lower] };
      });
    if (pairs.length === 0) return [];
    return [{ gate: "opposite", severity: "weak", figures: { pairs } }];
  }
}
