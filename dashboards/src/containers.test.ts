import assert from "node:assert/strict";
import { test } from "node:test";
import {
  containersOf,
  firstContainers,
  LOAD_SERVICES,
  proxyContainers,
  SHORT_NAMES,
} from "./containers.ts";

const proxies = [
  { name: "alpha", colour: "#0072B2", parts: [] },
  { name: "alpha-beta", colour: "#009E73", parts: ["tls"] },
];

/** @param condition InfluxQL, of =~ and !~ joined by AND */
function matches(condition: string, service: string) {
  return condition.split(" AND ").every((term) => {
    const [, operator, pattern] = /(=~|!~) \/(.*)\/$/.exec(term) ?? [];
    return new RegExp(pattern).test(`ws-proxy-bench-${service}`) === (operator === "=~");
  });
}

/** @param chosen what Grafana puts in for the variable `proxy` */
function conditionFor(chosen: string) {
  return proxyContainers(proxies).replace(/\$\{proxy:regex\}/, () => chosen);
}

test("a proxy's containers are its own and its parts', not those of a longer name", () => {
  assert.ok(matches(conditionFor("alpha"), "alpha-1"));
  assert.ok(!matches(conditionFor("alpha"), "alpha-beta-1"));
  assert.ok(!matches(conditionFor("alpha"), "alpha-beta-tls-1"));
  assert.ok(matches(conditionFor("alpha-beta"), "alpha-beta-1"));
  assert.ok(matches(conditionFor("alpha-beta"), "alpha-beta-tls-1"));
  assert.ok(!matches(conditionFor("alpha-beta"), "alpha-1"));
});

test("all proxies are all containers of the project but those of known services", () => {
  for (const service of ["alpha-1", "alpha-beta-tls-1", "unknown-1", "echo-tuned-1"]) {
    assert.ok(matches(conditionFor(".*"), service), service);
  }
  for (const service of [
    "echo-1",
    "load-1",
    "load-http-1",
    "load-run-5fd1c2",
    "influxdb-1",
    "renderer-1",
    "bench-run-0a1b",
  ]) {
    assert.ok(!matches(conditionFor(".*"), service), service);
  }
});

test("the choice of proxies is made of their first containers", () => {
  const condition = firstContainers(proxies);
  for (const service of ["alpha-1", "alpha-beta-1", "unknown-1"])
    assert.ok(matches(condition, service), service);
  for (const service of [
    "alpha-beta-tls-1",
    "echo-1",
    "load-run-5fd1c2",
    "warm-up-1",
    "verify-7-alpha-alpha-1",
    "cadvisor-1",
  ])
    assert.ok(!matches(condition, service), service);
});

test("the load group has the containers that `docker compose run` makes too", () => {
  for (const service of ["load-1", "load-run-5fd1c2", "echo-1"]) {
    assert.ok(matches(containersOf(LOAD_SERVICES), service), service);
  }
  assert.ok(!matches(containersOf(LOAD_SERVICES), "load-balancer-1"));
});

test("legends read as people name the containers", () => {
  const { regex, renamePattern } = SHORT_NAMES.options;
  for (const [series, legend] of [
    ["ws-proxy-bench-alpha-1", "alpha"],
    ["ws-proxy-bench-alpha-beta-tls-1 usage", "alpha-beta-tls usage"],
    ["ws-proxy-bench-load-run-5fd1c2 RSS", "load RSS"],
    ["ws-proxy-bench-alpha-1 on cadvisor", "alpha"],
    ["ws-proxy-bench-alpha-1 on cadvisor usage", "alpha usage"],
    ["ws-proxy-bench-cadvisor-1 on cadvisor", "cadvisor"],
    ["ws-proxy-bench-cadvisor-1 on front-1", "cadvisor on front-1"],
    ["ws-proxy-bench-echo-1 on two sent", "echo on two sent"],
    ["ws-proxy-bench-echo-1 on cadvisor-2", "echo on cadvisor-2"],
    ["alpha-beta p95", "alpha-beta p95"],
  ]) {
    assert.equal(series.replace(new RegExp(regex), renamePattern), legend);
  }
});
