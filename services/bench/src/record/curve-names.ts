/**
 * How cAdvisor's curves are called in the folder of a cell, and how its containers are in InfluxDB.
 */

/**
 * Name of the file in the folder of a cell: `ms` since 1970, `service`, `series`, `value`; of
 * several machines `machine`, empty where it is that of ./bench.
 */
export const CURVES_FILE = "cadvisor.csv";

/**
 * cAdvisor's tag `machine` on that of ./bench: the host name that services/cadvisor gives its
 * container. On others it is their name.
 */
export const OWN_MACHINE = "cadvisor";

/** Containers of the load: there may be several in a cell, and the record tells them apart. */
const LOAD = /^load-\d+$/;

/**
 * @param container `<project>-<service>-<number>`
 * @returns as in samples.csv: `nginx`, `load-2`
 */
export function serviceOf(container: string, project: string): string {
  const name = container.slice(project.length + 1);
  return LOAD.test(name) ? name : name.replace(/-\d+$/, "");
}

/**
 * @param service as of `serviceOf`; older records have `load` for every load
 * @returns the container's name
 */
export function containerOf(service: string, project: string): string {
  return `${project}-${LOAD.test(service) ? service : `${service}-1`}`;
}
