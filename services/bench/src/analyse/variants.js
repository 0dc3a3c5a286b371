/**
 * Which proxies a sentence names of those that tie.
 */

/** @import { Results } from "../model/record.ts" */

/**
 * A variant that ties with its original says nothing more than that; one whose original is not beside it differs, which is worth saying.
 *
 * @param {string[]} names of proxies that tie: what one sentence would name side by side
 * @param {Pick<Results["proxies"][number], "name" | "variantOf">[]} proxies of the record; of several records, those of all
 * @returns {string[]} in the same order, without each variant whose original is among them
 */
export function withoutVariants(names, proxies) {
  return names.filter(
    (name) =>
      !proxies.some(
        (one) => one.name === name && one.variantOf && names.includes(one.variantOf.proxy),
      ),
  );
}
