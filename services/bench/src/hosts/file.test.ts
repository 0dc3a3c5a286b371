import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOwn, readHosts, ROLES } from "./file.ts";
import schema from "./hosts.schema.json" with { type: "json" };
import type { TestContext } from "node:test";
import type { UserError } from "../errors.ts";

const EXAMPLE = join(import.meta.dirname, "../../../../hosts.example.yaml");

const THREE = `machines:
  middle:
    host: ssh://bench@10.0.0.11
    roles: [proxy]
  back:
    context: back
    roles: [servers]
  front:
    host: ssh://bench@10.0.0.13
    address: 10.0.0.13
    roles: [load]
`;

function hostsOf(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "hosts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "hosts.yaml"), text);
  return readHosts(join(folder, "hosts.yaml"), "hosts.yaml");
}

test("machines have their roles, and ./bench's own observes where none does", (t) => {
  assert.deepEqual(hostsOf(t, THREE), [
    { name: "middle", host: "ssh://bench@10.0.0.11", roles: ["proxy"] },
    { name: "back", context: "back", roles: ["servers"] },
    { name: "front", host: "ssh://bench@10.0.0.13", address: "10.0.0.13", roles: ["load"] },
    { name: "runner", roles: ["observe"] },
  ]);
});

test("one machine in all roles", (t) => {
  const own = hostsOf(t, "machines: { one: { roles: [proxy, servers, load] } }");
  assert.deepEqual(own, [{ name: "one", roles: [...ROLES] }]);
  assert.ok(own.every(isOwn));
});

test("another machine may observe, and ./bench's own then has no role", (t) => {
  const machines = hostsOf(t, THREE.replace("[servers]", "[servers, observe]"));
  assert.deepEqual(
    machines.map(({ name }) => name),
    ["middle", "back", "front"],
  );
});

test("the example is one, with every key and every role", () => {
  const machines = readHosts(EXAMPLE);
  const keys = new Set(machines.flatMap((machine) => Object.keys(machine)));
  const known = Object.keys(schema.properties.machines.additionalProperties.properties);
  assert.deepEqual([...keys].sort(), ["name", ...known].sort());
  assert.deepEqual(new Set(machines.flatMap(({ roles }) => roles)), new Set(ROLES));
  assert.ok(machines.filter(({ roles }) => roles.includes("load")).length > 1);
});

test("the schema knows the roles that the program knows", () => {
  const { roles } = schema.properties.machines.additionalProperties.properties;
  assert.deepEqual(roles.items.enum, ROLES);
});

for (const [title, from, to, line, fact, next] of [
  ["an empty file", THREE, "", 1, "the file is empty", /^Expected keys with values: machines/],
  ["no machines", THREE, "machines:\n", 1, '"machines" is empty', /^Expected machines by/],
  [
    "an empty group",
    THREE,
    "machines: {}",
    1,
    '"machines" is an empty group of keys',
    /at least one/,
  ],
  [
    "an unknown key",
    "machines:",
    "machnes:",
    1,
    'unknown key "machnes"',
    /Did you mean machines\?/,
  ],
  ["no YAML", "[proxy]", "[proxy", 5, /./, /as in hosts\.example\.yaml\.$/],
  [
    "an unknown key of a machine",
    "context: back",
    "contxt: back",
    6,
    'unknown key "contxt"',
    /^Did you mean context\? Expected one of: roles, context, host, address\.$/,
  ],
  ["a machine without anything", /back:[^]*/, "back:\n", 5, '"back" is empty', /^Expected keys/],
  ["no roles", "    roles: [servers]\n", "", 5, '"roles" is missing in "back"', /a list of roles/],
  ["empty roles", "[servers]", "[]", 7, '"roles" is an empty list', /^Expected a list of roles/],
  [
    "an unknown role",
    "[servers]",
    "[servers, observer]",
    7,
    'entry 2 of "roles" is "observer"',
    /^Did you mean observe\? Expected proxy or servers or load or observe\./,
  ],
  [
    "a role twice",
    "[servers]",
    "[servers, servers]",
    7,
    '"servers" is listed twice in "roles"',
    /once/,
  ],
  [
    "no proxy",
    "[proxy]",
    "[load]",
    1,
    "no machine has the role proxy",
    /^Expected one, with roles: \[proxy\]/,
  ],
  [
    "two proxies",
    "[servers]",
    "[servers, proxy]",
    7,
    "middle and back both have the role proxy",
    /^Expected one machine/,
  ],
  [
    "two that observe",
    /\[(servers|load)\]/g,
    "[$1, observe]",
    11,
    "back and front both have the role observe",
    /^Expected one machine/,
  ],
  [
    "no load",
    "[load]",
    "[observe]",
    1,
    "no machine has the role load",
    /^Expected one or more, with roles: \[load\]/,
  ],
  ["no servers", "[servers]", "[load]", 1, "no machine has the role servers", /^Expected one, /],
  [
    "an address that docker does not take",
    "ssh://bench@10.0.0.11",
    "bench@10.0.0.11",
    3,
    '"host" is "bench@10.0.0.11"',
    /^Expected an address as docker --host takes it: ssh:/,
  ],
  [
    "context and host",
    "context: back",
    "context: back\n    host: tcp://back:2375",
    7,
    "back has a context and a host",
    /^Expected only one of them/,
  ],
  [
    "a machine twice",
    "13\n    addr",
    "11\n    addr",
    9,
    "middle and front have the same host",
    /^Expected each machine once/,
  ],
  [
    "two without context and host",
    /^ {4}(host|context): .*\n/gm,
    "",
    4,
    "middle and back have neither context nor host: both are the engine of ./bench itself",
    /^Expected each machine once/,
  ],
  ["a name twice", "back:", "middle:", 5, "Map keys must be unique", /as in hosts\.example\.yaml/],
  [
    "a name that is none",
    "back:",
    "Back_1:",
    5,
    '"Back_1" is not a valid name of a machine',
    /hyphens/,
  ],
  [
    "the runner's name for another",
    "back:",
    "runner:",
    5,
    "runner is the name of the machine where ./bench runs, and this one is elsewhere",
    /^Expected another name/,
  ],
  [
    "an address that is none",
    "address: 10.0.0.13",
    "address: front.example",
    10,
    '"address" is "front.example"',
    /^Expected an IP address/,
  ],
] as const) {
  test(`${title} is named with its line`, (t) => {
    const changed = THREE.replace(from, to);
    assert.notEqual(changed, THREE);
    assert.throws(
      () => hostsOf(t, changed),
      (error: UserError) => {
        const [, at, said] = error.message.match(/^hosts\.yaml, line (\d+): ([^]*)$/) ?? [];
        assert.equal(Number(at), line, error.message);
        if (typeof fact === "string") assert.equal(said, fact);
        else assert.match(said, fact);
        assert.match(error.next, next);
        assert.equal(error.exitCode, 2);
        return true;
      },
    );
  });
}

test("a file that is not there", () => {
  assert.throws(() => readHosts("/nowhere/hosts.yaml", "hosts.yaml"), {
    message: "there is no hosts.yaml",
    next: /cp hosts\.example\.yaml hosts\.yaml/,
    exitCode: 2,
  });
});
