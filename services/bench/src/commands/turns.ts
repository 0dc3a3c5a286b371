/**
 * Two configurations in the same cells: connections go to one and the other in turns, and the
 * baseline has the reference's place. What slows the machine slows both.
 */
import type { Plan, Scheme } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";

/** As a battle has it. */
export type Test = { scenario: string; parameters: Record<string, unknown> };

/** Of the connections, where two have turns. */
export const HALF = 0.5;

/** @returns CPU per connection: what a turn costs varies by a tenth, less over TLS; a cell by 2 % */
export function connectionTest(scheme: Scheme): Test {
  return inTurns(scheme, { CONNECTIONS: scheme === "ws" ? 3000 : 1000, CONCURRENCY: 50 }, 200);
}

/** @returns CPU per connection that is mostly that of messages */
export function messagesTest(scheme: Scheme): Test {
  return inTurns(scheme, { CONNECTIONS: 300, CONCURRENCY: 20, MESSAGES: 50 }, 50);
}

function inTurns(scheme: Scheme, parameters: Record<string, number>, warmUp: number) {
  return {
    scenario: "short-lived",
    schemes: [scheme],
    control: false,
    parameters: { MESSAGES: 1, MESSAGE_BYTES: 1024, ...parameters },
    warmUp: { CONNECTIONS: warmUp },
  };
}

/** @returns where the load takes turns, the baseline has them all; elsewhere it has its own cells */
export function turnsWith(plan: Plan, { name, title }: Pick<Proxy, "name" | "title">): Plan {
  const turns = asBaseline(plan, title);
  const isInTurns = ({ scenario }: Plan["cells"][number]) =>
    turns.scenarios[scenario].usesReference;
  return { ...turns, cells: plan.cells.filter((cell) => cell.proxy !== name || !isInTurns(cell)) };
}

/** @returns what has the reference's place gets no load but where it takes turns */
export function asBaseline(plan: Plan, title: string): Plan {
  const scenarios = Object.entries(plan.scenarios).map(([key, scenario]) => [
    key,
    { ...scenario, usesReference: scenario.referenceTurns ?? false },
  ]);
  return { ...plan, baseline: title, scenarios: Object.fromEntries(scenarios) };
}
