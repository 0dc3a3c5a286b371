import assert from "node:assert/strict";
import { test } from "node:test";
import { interpolate } from "./influxql.ts";

const context = {
  from: new Date(1000),
  to: new Date(61_500),
  intervalSeconds: 10,
  variables: { proxy: "alpha" },
};

test("puts in the range, the step and the variables", () => {
  assert.equal(
    interpolate(`"p" =~ /^\${proxy:regex}$/ AND $timeFilter GROUP BY time($__interval)`, context),
    '"p" =~ /^alpha$/ AND time >= 1000ms and time <= 61500ms GROUP BY time(10s)',
  );
  assert.equal(interpolate(`time < \${__to:date:seconds}s - 3s`, context), "time < 62s - 3s");
});

test("names a variable that has no value", () => {
  assert.throws(
    () => interpolate(`\${run:regex}`, context),
    /"run" has no value; known are: proxy/,
  );
});
