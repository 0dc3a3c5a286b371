/**
 * A run on both networks that nobody made.
 */
import { results } from "./results.js";

/** @import { Results } from "../../model/record.ts" */

/**
 * @param {{cost: number, dockers?: number}} about cost: of an operation on Docker's network, to that on the machine's own; dockers: what its
 *   cells have as HOST_NETWORK
 * @returns {Results}
 */
export function onBothNetworks({ cost, dockers = 0 }) {
  const { parameters } = results().plan.cells[0];
  const [docker, host] = [dockers, 1].map((HOST_NETWORK) =>
    results({
      parameters: { ...parameters, HOST_NETWORK },
      seed: 1 + HOST_NETWORK,
      change: (record) => {
        if (HOST_NETWORK === dockers)
          for (const { role, cpu } of Object.values(record.containers))
            if (role === "proxy") cpu.totalSeconds *= cost;
        return [record];
      },
    }),
  );
  const renamed = (/** @type {{id: string}} */ { id }) => `${id}-host`;
  const { "short-lived": described, ...scenarios } = docker.plan.scenarios;
  const parameterNames = { ...described.parameterNames, hostNetwork: "HOST_NETWORK" };
  return {
    ...docker,
    plan: {
      ...docker.plan,
      scenarios: { ...scenarios, "short-lived": { ...described, parameterNames } },
      cells: [
        ...docker.plan.cells,
        ...host.plan.cells.map((cell) => ({ ...cell, id: renamed(cell) })),
      ],
    },
    cells: [...docker.cells, ...host.cells.map((cell) => ({ ...cell, id: renamed(cell) }))],
  };
}
