import { testProxies } from "../proxies.js";

await testProxies(1, 3);
