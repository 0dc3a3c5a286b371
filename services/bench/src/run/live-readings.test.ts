import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveReadings } from "./live-readings.ts";
import type { PulseReading } from "./pulse.ts";

const at = (ms: number): PulseReading => ({
  ...{ ms, opened: ms, failed: 0, open: 0, messages: 0 },
  ...{ proxyCpuSeconds: 0, proxyThrottledSeconds: 0 },
});

/** A pulse that notes what it is given. */
function noting() {
  const noted: { started: number[]; beats: [number, boolean][]; told: number[] } = {
    started: [],
    beats: [],
    told: [],
  };
  const pulse = {
    start: ({ ms }: PulseReading) => void noted.started.push(ms),
    beat: ({ ms, opened }: PulseReading, { isLast = false } = {}) => {
      noted.beats.push([ms, isLast]);
      return { ms, opened, failed: 0, proxy_throttled_seconds: 0 };
    },
  };
  const tell = ({ opened }: { opened: number }) => void noted.told.push(opened);
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
  const answers: ((reading: PulseReading) => void)[] = [];
  let isDown = false;
  const read = () =>
    isDown
      ? Promise.reject(new Error("ended"))
      : new Promise((resolve: (reading: PulseReading) => void) => answers.push(resolve));
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
  let answer: (reading: PulseReading) => void = () => {};
  const read = () => new Promise((resolve: typeof answer) => (answer = resolve));
  const live = new LiveReadings(pulse, { read, tell });
  const opening = live.open();
  live.abandon();
  answer(at(1));
  await opening;
  t.mock.timers.tick(5000);
  await turn();
  assert.deepEqual(noted.started, []);
});
