import { MESSAGE_WRONGS, testAll } from "./testing/faults.ts";

testAll(MESSAGE_WRONGS);
