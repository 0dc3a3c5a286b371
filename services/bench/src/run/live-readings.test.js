import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveReadings } from "./live-readings.js";

/** @import { PulseReading } from "./pulse.js" */

/** @param {number} ms @returns {PulseReading} */
const at = (ms) => ({
  ...{ ms, opened: ms, failed: 0, reference: 0, messages: 0, echoedByEnded: 0 },
  ...{ proxyCpuSeconds: 0, proxyThrottledSeconds: 0 },
});

/** A pulse that notes what it is given. */
function noting() {
  /** @type {{started: number[], beats: [number, boolean][], told: number[]}} */
  const noted = { started: [], beats: [], told: [] };
  const pulse = {
    start: (/** @type {PulseReading} */ { ms }) => void noted.started.push(ms),
    beat: (/** @type {PulseReading} */ { ms, opened }, { isLast = false } = {}) => {
      noted.beats.push([ms, isLast]);
      return { ms, opened, failed: 0, proxy_throttled_seconds: 0 };
    },
  };
  const tell = (/** @type {{opened: number}} */ { opened }) => void noted.told.push(opened);
  return { noted, pulse, tell };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a reading each interval while the phase is open; the last one with the counts that are known for good", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { noted, pulse, tell } = noting();
  let ms = 0;
  const live = new LiveReadings(pulse, { read: async () => at(++ms), tell });
  await live.open();
  assert.deepEqual(noted.started, [1]);
  for (let i = 0; i < 2; i++) {
    t.mock.timers.tick(1000);
    await turn();
  }
  await live.close();
  t.mock.timers.tick(5000);
  await turn();
  live.finish({ opened: 70 });
  assert.deepEqual(noted.beats, [
    [2, false],
    [3, false],
    [4, true],
  ]);
  assert.deepEqual(noted.told, [2, 3, 70]);
});

test("an answer that comes after the edge is not used, nor is one that never came", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { noted, pulse, tell } = noting();
  /** @type {((reading: PulseReading) => void)[]} */
  const answers = [];
  let isDown = false;
  const read = () =>
    isDown
      ? Promise.reject(new Error("ended"))
      : new Promise((/** @type {(reading: PulseReading) => void} */ resolve) =>
          answers.push(resolve),
        );
  const live = new LiveReadings(pulse, { read, tell });
  const opening = live.open();
  answers[0](at(1));
  await opening;
  t.mock.timers.tick(1000);
  isDown = true;
  await live.close();
  answers[1](at(2));
  await turn();
  live.finish({});
  assert.deepEqual([noted.beats, noted.told], [[], []]);
});

test("abandoned before the load has answered: it never begins", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { noted, pulse, tell } = noting();
  /** @type {(reading: PulseReading) => void} */
  let answer = () => {};
  const read = () => new Promise((/** @type {typeof answer} */ resolve) => (answer = resolve));
  const live = new LiveReadings(pulse, { read, tell });
  const opening = live.open();
  live.abandon();
  answer(at(1));
  await opening;
  t.mock.timers.tick(5000);
  await turn();
  assert.deepEqual(noted.started, []);
});
