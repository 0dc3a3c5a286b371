/**
 * What all cells of a run share.
 */

/** @import { Listener } from "../model/run-event.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { TlsPolicy } from "../model/environment.ts" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { Edges } from "./edges.js" */
/** @import { Door } from "./host-network.js" */
/** @import { Placement } from "./placement.js" */

/**
 * @typedef {object} RunContext
 * @property {string} directory the project's
 * @property {string} project name of the Compose project
 * @property {string} network its name
 * @property {boolean} [isBeside] this program is in the networks of other cells too, where names such as `proxy` are theirs
 * @property {Placement} placement
 * @property {Door | null} hostNetwork for cells on the machines' own network, the door of that of ./bench itself; null: there is none
 * @property {string} run name of the run
 * @property {Record<string, string>} env knobs for Compose
 * @property {Record<string, string[]>} services of each proxy
 * @property {Proxy[]} proxies every folder of proxies/
 * @property {Plan["scenarios"]} scenarios of the plan
 * @property {Plan["referenceShare"]} referenceShare of the plan
 * @property {Plan["promise"]} promise of the plan
 * @property {string[]} observers services that stay up
 * @property {number} loadCores
 * @property {boolean} cpuLimited the plan limits the proxy's CPU time
 * @property {number} proxyCpus budget of the proxy in cores; 0: none
 * @property {string | null} budgetGroup the cgroup whose CPU budget the containers of a proxy share, where it has several; null: none has
 *   to
 * @property {"ecdsa" | "rsa"} keyType
 * @property {Record<string, string>} authorities certificate (PEM) of the one behind each type of key that the plan has
 * @property {TlsPolicy} policy
 * @property {Edges} edges
 * @property {Listener} tell
 * @property {AbortSignal} signal aborted: the run is to end now
 */

export {};
