/**
 * How often the settings of a plan are run: a test may ask for fewer rounds than its battle has.
 */

import type { Plan, PlannedCell } from "../model/plan.ts";

/** @returns of each setting its first cell, and in how many rounds it is */
export function roundsBySetting({
  cells,
}: Pick<Plan, "cells">): { cell: PlannedCell; rounds: number }[] {
  const alike = Map.groupBy(cells, ({ scenario, scheme, parameters, event }) =>
    JSON.stringify([scenario, scheme, Object.entries(parameters).sort(), event]),
  );
  return [...alike.values()].map((own) => ({
    cell: own[0],
    rounds: new Set(own.map(({ round }) => round)).size,
  }));
}
