import { MESSAGE_WRONGS, testAll } from "./testing/faults.js";

testAll(MESSAGE_WRONGS);
