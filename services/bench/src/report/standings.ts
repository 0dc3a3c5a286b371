/** Who leads while a run is under way, by what single cells tell; ranks are the report's. */
import { median } from "simple-statistics";
import { measure, measuresOf } from "../analyse/measures.ts";
import { QUESTIONS } from "../analyse/questions.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import { times } from "../numbers.ts";
import { settingLabel } from "../plan/describe.ts";
import { CONTROL } from "../plan/proxies.ts";
import { workloadOf } from "../plan/workload.ts";
import { amount } from "./text.ts";

const RANKED = QUESTIONS.filter(
  ({ answer, rounds }) => answer !== undefined && rounds?.isRanked,
).sort((a, b) => Number(a.answer) - Number(b.answer));

/**
 * @param records the last of each cell that ended well
 * @param cell of the setting that is asked about
 * @returns `CPU per connection so far: nginx 310 µs, haproxy 1.02×`; null: nothing to compare yet
 */
export function standings(plan: Plan, records: CellRecord[], cell: PlannedCell): string | null {
  const workload = workloadOf(plan, cell);
  const own = records
    .filter(({ proxy }) => proxy !== CONTROL)
    .filter((record) => settingLabel(record) === settingLabel(cell))
    .map((record) => ({ proxy: record.proxy, measures: measuresOf(record, workload) }));
  for (const { id, title } of RANKED.filter(({ rounds }) => rounds?.applies(workload))) {
    const { better, unit } = measure(id);
    const told = [...Map.groupBy(own, ({ proxy }) => proxy)].flatMap(([proxy, same]) => {
      const values = same.flatMap(({ measures }) => measures[id] ?? []);
      return values.length > 0 ? [{ proxy, value: median(values) }] : [];
    });
    if (told.length < 2) continue;
    told.sort((a, b) => (better === "lower" ? a.value - b.value : b.value - a.value));
    const [best, ...others] = told;
    const behind = others.map(({ proxy, value }) => `${proxy} ${times(value / best.value)}×`);
    const led = `${best.proxy} ${amount(best.value, { unit })}`;
    return `${title} so far: ${[led, ...behind].join(", ")}`;
  }
  return null;
}
