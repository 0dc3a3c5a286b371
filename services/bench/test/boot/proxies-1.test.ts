import { testProxies } from "../proxies.ts";

await testProxies(0, 3);
