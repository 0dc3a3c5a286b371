import { testProxies } from "../proxies.ts";

await testProxies(2, 3);
