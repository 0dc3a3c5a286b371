import { testProxies } from "../proxies.ts";

await testProxies(1, 3);
