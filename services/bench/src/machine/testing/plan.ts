import { SCENARIOS } from "../../plan/testing/scenarios.ts";

import type { Plan } from "../../model/plan.ts";

/** Profiles that the plan starts; a copy of a proxy has its profile. */
const profiles = {
  none: "none",
  "haproxy-hitch": "haproxy-hitch",
  nginx: "nginx",
  "nginx-copy": "nginx",
};
export const plan: Plan = {
  schema: 2,
  battle: "b",
  title: "B",
  published: null,
  proxies: Object.keys(profiles),
  rounds: 1,
  seed: 1,
  proxyCpus: 1,
  workers: null,
  keyType: "ecdsa",
  scenarios: SCENARIOS,
  cells: Object.entries(profiles).map(([proxy, profile]) => ({
    id: proxy,
    round: 1,
    proxy,
    profile,
    scenario: "short-lived",
    scheme: "ws",
    parameters: { CONNECTIONS: 1, TIMEOUT_SECONDS: 9 },
    warmUp: null,
    loads: 1,
    observed: true,
    limitSeconds: 1,
    skip: null,
  })),
};
