import { testProxies } from "../proxies.js";

await testProxies(2, 3);
