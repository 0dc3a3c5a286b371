import { test } from "node:test";
import assert from "node:assert/strict";
import { ContainerGone } from "../platform/counters.ts";
import { Sampler } from "./sampler.ts";
import { memoryOf, samplesCsv } from "./samples.ts";
import { reading } from "./testing/readings.ts";
import type { TestContext } from "node:test";
import type { Reading } from "../platform/counters.ts";

/** A container whose readings are given one after the other; the last one stays. */
function container(...readings: (Reading | Error)[]) {
  return {
    read() {
      const next = readings.length > 1 ? readings.shift() : readings[0];
      if (next instanceof Error) throw next;
      return next as Reading;
    },
  };
}

/** A clock that stands still until it is moved on. */
function clock(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 5000;
  t.mock.method(performance, "now", () => now);
  return {
    now: () => now,
    /** Time passes, timers do not run: this program was busy. */
    busy: (ms: number) => void (now += ms),
    pass(ms: number) {
      for (let i = 0; i < ms; i++) {
        now++;
        t.mock.timers.tick(1);
      }
    },
  };
}

test("samples lie on the grid, however long a reading takes", (t) => {
  const time = clock(t);
  const at: number[] = [];
  const slow = {
    read() {
      at.push(time.now() - 5000);
      time.busy(30);
      return reading({ atMs: time.now() });
    },
  };
  const sampler = new Sampler(new Map([["proxy", slow]]), { intervalMs: 100 });
  sampler.start();
  time.pass(290);
  sampler.stop();
  assert.deepEqual(at, [0, 100, 200, 300, 400, 440]);
});

test("samples that were missed are left out, and the grid stays", (t) => {
  const time = clock(t);
  const at: number[] = [];
  const noting = {
    read() {
      at.push(time.now() - 5000);
      if (at.length === 2) time.busy(270);
      return reading();
    },
  };
  const sampler = new Sampler(new Map([["proxy", noting]]), { intervalMs: 100 });
  sampler.start();
  time.pass(240);
  assert.deepEqual(at, [0, 100, 400, 500]);
  sampler.stop();
});

test("stop takes the last sample, once, and ends", (t) => {
  const time = clock(t);
  const sampler = new Sampler(new Map([["proxy", container(reading())]]), { intervalMs: 100 });
  const samples = () => samplesCsv(sampler.samples).trim().split("\n").length - 1;
  sampler.start();
  time.pass(50);
  sampler.stop();
  assert.equal(samples(), 2);
  sampler.stop();
  time.pass(500);
  assert.equal(samples(), 2);
});

test("a container that is gone is reported and asked no more; the others go on", (t) => {
  const time = clock(t);
  let asked = 0;
  const dying = {
    read() {
      if (++asked === 3) throw new ContainerGone(7);
      return reading({ atMs: asked });
    },
  };
  const sampler = new Sampler(
    new Map([
      ["proxy", dying],
      ["echo", container(reading())],
    ]),
    { intervalMs: 100 },
  );
  sampler.start();
  time.pass(450);
  sampler.stop();
  assert.equal(asked, 3);
  assert.deepEqual([...sampler.gone], [["proxy", performance.timeOrigin + 5200]]);
  assert.deepEqual(
    sampler.samples.filter(({ service }) => service === "proxy"),
    [1, 2].map((atMs) => ({ service: "proxy", reading: reading({ atMs }) })),
  );
  assert.equal(samplesCsv(sampler.samples).match(/,echo,/g)?.length, 6);
});

test("any other error ends the samples and comes out of stop", (t) => {
  const time = clock(t);
  const broken = container(reading({ usage: 5 }), new Error("no descriptor left"));
  const sampler = new Sampler(new Map([["proxy", broken]]), { intervalMs: 100 });
  sampler.start();
  time.pass(300);
  assert.throws(() => sampler.stop(), /no descriptor left/);
  assert.equal(sampler.gone.size, 0);
  assert.equal(memoryOf(sampler.samples, "proxy")?.mean.usageBytes, 5);
});

test("memoryOf: the first sample, the mean, and the highest of each figure", (t) => {
  const time = clock(t);
  const sampler = new Sampler(
    new Map([
      [
        "proxy",
        container(
          reading({ usage: 100, kernel: 10 }),
          reading({ usage: 400, kernel: 5 }),
          reading({ usage: 130, kernel: 30 }),
        ),
      ],
      ["echo", container(reading({ usage: 9000, kernel: null }))],
    ]),
    { intervalMs: 100 },
  );
  sampler.start();
  time.pass(150);
  sampler.stop();
  assert.deepEqual(memoryOf(sampler.samples, "proxy"), {
    baseline: {
      usageBytes: 100,
      workingSetBytes: 99,
      rssBytes: 98,
      kernelBytes: 10,
      socketBytes: null,
    },
    mean: {
      usageBytes: 210,
      workingSetBytes: 209,
      rssBytes: 208,
      kernelBytes: 15,
      socketBytes: null,
    },
    peak: {
      usageBytes: 400,
      workingSetBytes: 399,
      rssBytes: 398,
      kernelBytes: 30,
      socketBytes: null,
    },
    after: null,
    highWaterBytes: 1130,
  });
  const around = { before: reading({ usage: 50 }), after: reading({ usage: 90 }) };
  const { baseline, after } = memoryOf(sampler.samples, "proxy", around) ?? {};
  assert.deepEqual([baseline?.usageBytes, after?.usageBytes], [50, 90]);
  assert.ok(after && !("highWaterBytes" in after));
  assert.equal(memoryOf(sampler.samples, "echo")?.peak.kernelBytes, null);
});

test("a container that could never be read has neither memory nor samples", (t) => {
  clock(t);
  const sampler = new Sampler(new Map([["proxy", container(new ContainerGone(7))]]));
  sampler.start();
  sampler.stop();
  assert.equal(memoryOf(sampler.samples, "proxy"), null);
  assert.deepEqual(sampler.samples, []);
  assert.equal(sampler.gone.size, 1);
});

test("as CSV: a line a sample, empty where the kernel does not count", (t) => {
  const time = clock(t);
  const network = { rxBytes: 7, txBytes: 8, rxPackets: 1, txPackets: 1 };
  const sampler = new Sampler(
    new Map([
      [
        "proxy",
        container(
          reading({ atMs: 1000.25, seconds: 0.225570182, network }),
          reading({ atMs: 1100.5, seconds: 2, usage: 500 }),
        ),
      ],
      ["echo", container(reading({ atMs: 1000.75, kernel: null }))],
    ]),
    { intervalMs: 100 },
  );
  sampler.start();
  time.pass(10);
  sampler.stop();
  assert.deepEqual(samplesCsv(sampler.samples).split("\n"), [
    "ms,service,cpu_seconds,usage_bytes,working_set_bytes,rss_bytes,kernel_bytes,socket_bytes,rx_bytes,tx_bytes",
    "0.0,proxy,0.225570182,100,99,98,10,,7,8",
    "0.5,echo,1,100,99,98,,,,",
    "100.3,proxy,2,500,499,498,10,,,",
    "0.5,echo,1,100,99,98,,,,",
    "",
  ]);
});
