import { REQUEST_WRONGS, testAll } from "./testing/faults.ts";

testAll(REQUEST_WRONGS);
