/**
 * `host-ports`: the service of that name in compose.yaml. Its ports lead to the proxy, whichever is
 * up.
 */
import { once } from "node:events";
import { forward } from "../platform/forward.ts";

/** @returns exit status, after SIGTERM */
export async function hostPorts(): Promise<number> {
  for (const port of [8080, 8443]) await forward(port, { host: "proxy", port });
  await once(process, "SIGTERM");
  return 0;
}
