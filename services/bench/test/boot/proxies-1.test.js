import { testProxies } from "../proxies.js";

await testProxies(0, 3);
