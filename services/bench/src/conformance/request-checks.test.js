import { REQUEST_WRONGS, testAll } from "./testing/faults.js";

testAll(REQUEST_WRONGS);
