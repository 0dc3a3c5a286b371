/**
 * `host-ports`: the service of that name in compose.yaml. Its ports lead to the proxy, whichever is up.
 */
import { once } from "node:events";
import { forward } from "../platform/forward.js";

/** @returns {Promise<number>} exit status, once it is told to end */
export async function hostPorts() {
  for (const port of [8080, 8443]) await forward(port, { host: "proxy", port });
  await once(process, "SIGTERM");
  return 0;
}
