/**
 * results.csv: the figures of every attempt, for programs.
 */
import { CELL_MEASURES, measuresOf } from "../analyse/measures.ts";
import { workloadOf } from "../plan/workload.ts";
import { csvText } from "../record/csv.ts";
import type { Results } from "../model/record.ts";

/** Tidy: a row an attempt, a column a variable. An empty field: it could not be had. */
export function resultsCsv({ run, plan, cells }: Results): string {
  const parameters = [...new Set(plan.cells.flatMap((cell) => Object.keys(cell.parameters)))];
  const events = new Map(plan.cells.map(({ id, event }) => [id, event]));
  const hasEvents = plan.cells.some(({ event }) => event !== undefined);
  const header = [
    ...["run", "id", "attempt", "status", "cause", "round", "proxy", "scenario", "scheme"],
    ...(hasEvents ? ["event"] : []),
    ...parameters,
    ...CELL_MEASURES,
  ];
  const rows = cells.map((cell) => {
    const measures = measuresOf(cell, workloadOf(plan, cell));
    return [
      ...[run.name, cell.id, cell.attempt, cell.status, cell.cause?.kind, cell.round],
      ...[cell.proxy, cell.scenario, cell.scheme],
      ...(hasEvents ? [events.get(cell.id)] : []),
      ...parameters.map((key) => cell.parameters[key]),
      ...CELL_MEASURES.map((key) => measures[key]),
    ];
  });
  return csvText([header, ...rows]);
}
