/**
 * How cAdvisor's curves are called in the folder of a cell, and how its containers are in InfluxDB.
 */

/**
 * Name of the file in the folder of a cell: `ms` since 1970, `service`, `series`, `value`; of several machines `machine`, empty where it is
 * that of ./bench.
 */
export const CURVES_FILE = "cadvisor.csv";

/** cAdvisor's tag `machine` on that of ./bench: the host name that services/cadvisor gives its container. On others it is their name. */
export const OWN_MACHINE = "cadvisor";

/** Containers of the load: there may be several in a cell, and the record tells them apart. */
const LOAD = /^load-\d+$/;

/**
 * @param {string} container `<project>-<service>-<number>`
 * @param {string} project
 * @returns {string} as in samples.csv: `nginx`, `load-2`
 */
export function serviceOf(container, project) {
  const name = container.slice(project.length + 1);
  return LOAD.test(name) ? name : name.replace(/-\d+$/, "");
}

/**
 * @param {string} service as of `serviceOf`; older records have `load` for every load
 * @param {string} project
 * @returns {string} the container's name
 */
export function containerOf(service, project) {
  return `${project}-${LOAD.test(service) ? service : `${service}-1`}`;
}
