/**
 * The part of ./bench that runs on the host, with a docker command that answers as the test wants.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { battleNames } from "../src/plan/battle.ts";
import { EVENTS } from "../src/plan/events.ts";
import { groupNames, readProxies } from "../src/plan/proxies.ts";
import { run } from "../src/platform/subprocess.ts";
import { projectDirectory } from "../test/lab.ts";
import type { TestContext } from "node:test";

/** @param docker body of a shell script that stands in for docker */
function benchWith(t: TestContext, docker: string, env: Record<string, string> = {}) {
  return bench(clientOnly(t, docker), ["setup"], env);
}

/**
 * @param docker body of a shell script that stands in for docker
 * @returns the only folder of programs
 */
function clientOnly(t: TestContext, docker: string): string {
  const bin = toolsOnly(t);
  writeFileSync(join(bin, "docker"), `#!/bin/sh\n${docker}\n`);
  chmodSync(join(bin, "docker"), 0o755);
  return bin;
}

/**
 * @returns a folder with the few programs that ./bench uses, and nothing that could install or
 *   start an engine
 */
function toolsOnly(t: TestContext): string {
  const bin = mkdtempSync(join(tmpdir(), "bench-test-"));
  t.after(() => rmSync(bin, { recursive: true }));
  for (const tool of ["awk", "cat", "dirname", "head", "id", "sed", "stat", "uname"])
    symlinkSync(join("/usr/bin", tool), join(bin, tool));
  return bin;
}

/** @param bin the only folder of programs */
function bench(bin: string, args: string[], env: Record<string, string> = {}) {
  return run(["/bin/sh", join(projectDirectory, "bench"), ...args], {
    env: { PATH: bin, DOCKER_HOST: "", DOCKER_CONTEXT: "", DOCKER_SOCKET: "", ...env },
  });
}

for (const [args, start] of [
  [[], "Usage: ./bench COMMAND"],
  [["help"], "Usage: ./bench COMMAND"],
  [["--help"], "Usage: ./bench COMMAND"],
  [["help", "help"], "Usage: ./bench COMMAND"],
  [["help", "run"], "Usage: ./bench run "],
  [["run", "quick", "--help"], "Usage: ./bench run "],
  [["up", "-h"], "Usage: ./bench up "],
  [["test", "--help"], "Usage: ./bench test "],
  [["list"], "Battles, for ./bench run NAME\n"],
] as [string[], string][]) {
  test(`./bench ${args.join(" ")}: on a machine without Docker and Node`, async (t) => {
    const { code, stdout, stderr } = await bench(toolsOnly(t), args);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.ok(stdout.startsWith(start), stdout);
  });
}

test("./bench --version is the command line's own, on a machine without Docker and Node", async (t) => {
  const cli = join(import.meta.dirname, "../src/cli.ts");
  const own = await run([process.execPath, cli, "--version"]);
  assert.match(own.stdout, /^\d+\.\d+\.\d+\n$/);
  const { code, stdout, stderr } = await bench(toolsOnly(t), ["--version"]);
  assert.deepEqual([code, stdout, stderr], [0, own.stdout, ""]);
});

for (const [line, message, next] of [
  ["benchmark", "command: benchmark", "./bench help lists the commands."],
  ["rum", "command: rum", "Did you mean run? ./bench help lists the commands."],
  ["help comparee", "command: comparee", "Did you mean compare? ./bench help lists"],
  ["help ../help/run", "command: ../help/run", "Did you mean run? "],
  // Of the service `ready` alone.
  ["ready", "command: ready", "./bench help"],
  ["run nosuch", "battle: nosuch", "./bench list shows them all."],
  ["run quik", "battle: quik", "Did you mean quick? ./bench list shows them all."],
  ["run --rounds 2 battles/quick.yaml", "battle: battles/quick.yaml", "Did you mean quick? "],
  ["run --proxies=nginx,commn quick", "proxy or group: commn", "Did you mean common? "],
  ["hosts check --proxies nginx,*", "proxy or group: *", "./bench list"],
  ["run survival --event reload,kil", "event: kil", "Did you mean kill? ./bench list"],
  ["verify classic ngnix", "proxy or group: ngnix", "Did you mean nginx? "],
  ["up haproxi", "proxy: haproxi", "Did you mean haproxy? Expected one proxy"],
  ["aa classic", "proxy: classic", "Expected one proxy, and no group. ./bench list"],
  ["run --round 2", "option: --round", "Did you mean --rounds? ./bench run --help lists them."],
  ["run --verbos=yes", "option: --verbos", "Did you mean --verbose? "],
]) {
  test(`./bench ${line} is refused, on a machine without Docker and Node`, async (t) => {
    const { code, stderr } = await bench(toolsOnly(t), line.split(" "));
    assert.equal(code, 2);
    const [fact, hint, ...rest] = stderr.split("\n");
    assert.equal(fact, `bench: unknown ${message}`);
    assert.ok(hint.startsWith(`       ${next}`), hint);
    assert.deepEqual(rest, [""]);
  });
}

test("only the first argument of a command that takes one proxy is one", async () => {
  const names = join(projectDirectory, "services/bench/host/names.sh");
  const help = 'show_help() { echo "Usage: ./bench mine [options] <PROXY> <FILE>"; }';
  const check = async (words: string) => {
    const script = `. ${names}; ${help}; check_names mine ${words}`;
    return (await run(["/bin/sh", "-c", script], { cwd: projectDirectory })).code;
  };
  assert.deepEqual([await check("nginx nginx.conf"), await check("ngnix nginx.conf")], [0, 2]);
});

test("./bench knows the names that the command line knows", async () => {
  const script = '. services/bench/host/names.sh; names_of "$1"';
  const known = async (kind: string) => {
    const words = ["/bin/sh", "-c", script, "sh", kind];
    return (await run(words, { cwd: projectDirectory })).stdout.trim().split("\n");
  };
  const proxies = readProxies(join(projectDirectory, "proxies"));
  const names = proxies.map(({ name }) => name);
  assert.deepEqual((await known("battle")).sort(), battleNames(projectDirectory));
  assert.deepEqual((await known("proxy")).sort(), names);
  assert.deepEqual(await known("event"), Object.keys(EVENTS));
  const both = new Set(await known("proxy or group"));
  assert.deepEqual([...both].sort(), [...names, ...groupNames(proxies)].sort());
});

test("a group is found however its proxy.json is written", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of [
    ["one", '{"groups":["a","b"],"title":"c"}'],
    ["two", '{\n  "groups": [\n    "d"\n  ],\n  "title": "e"\n}\n'],
    ["three", '{ "groups": [] }'],
  ]) {
    mkdirSync(join(folder, "proxies", name), { recursive: true });
    writeFileSync(join(folder, "proxies", name, "proxy.json"), text);
  }
  const names = join(projectDirectory, "services/bench/host/names.sh");
  const words = ["/bin/sh", "-c", `. ${names}; names_of "proxy or group"`];
  const { stdout } = await run(words, { cwd: folder });
  assert.deepEqual(stdout.trim().split("\n"), ["one", "three", "two", "all", "a", "b", "d"]);
});

test("a user that the engine refuses learns of the group", async (t) => {
  const { code, stderr } = await benchWith(
    t,
    'echo "permission denied while trying to connect" >&2; exit 1',
  );
  assert.equal(code, 1);
  assert.match(stderr, /the Docker engine refuses this user/);
  assert.match(stderr, /group docker/);
});

test("without an engine, and without the means to install one, it says what to install", async (t) => {
  const { code, stderr } = await benchWith(
    t,
    'echo "Cannot connect to the Docker daemon" >&2; exit 1',
  );
  assert.equal(code, 1);
  assert.match(stderr, /no Docker engine is installed/);
  assert.match(stderr, /Install Docker Engine with Compose 2\.26 or later/);
});

/** @param answer of `docker context inspect`; nothing else answers */
const contextAlone = (answer: string) =>
  `case "$1 $2" in "context inspect") ${answer} ;; *) exit 1 ;; esac`;

for (const [title, client, env, message] of [
  [
    "a context on another machine",
    contextAlone("echo far ssh://me@far"),
    {},
    /the docker context far \(ssh:\/\/me@far\) is not an engine on this machine\.\n.*docker context use default/,
  ],
  [
    "DOCKER_HOST on another machine",
    contextAlone("echo default $DOCKER_HOST"),
    { DOCKER_HOST: "tcp://far:2375" },
    /DOCKER_HOST=tcp:\/\/far:2375 is not an engine on this machine\./,
  ],
  [
    "a context whose engine does not answer",
    contextAlone("echo colima unix:///home/me/.colima/default/docker.sock"),
    {},
    /no Docker engine answers at the docker context colima \(unix:\/\/\/home\/me\/\.colima\/default\/docker\.sock\)/,
  ],
  [
    "a context that there is not",
    contextAlone('echo "context \\"nosuch\\": context not found: open meta.json" >&2; exit 1'),
    { DOCKER_CONTEXT: "nosuch" },
    /the docker client has no such context: context "nosuch".*\n.*docker context ls/,
  ],
] as [string, string, Record<string, string>, RegExp][]) {
  test(`${title} is refused, and nothing is installed`, async (t) => {
    const { code, stderr } = await benchWith(t, client, env);
    assert.equal(code, 1);
    assert.match(stderr, message);
  });
}

for (const [title, { kernel = "$(uname -r)", security = "[name=seccomp]", env = {} }, expected] of [
  [
    "on this machine",
    {},
    ["/", `${process.getuid?.()}:${process.getgid?.()}`, String(statSync("/").gid)],
  ],
  [
    "in a virtual machine",
    { kernel: "6.8.0-lima" },
    ["/var/run/docker.sock", `${process.getuid?.()}:${process.getgid?.()}`, "991"],
  ],
  [
    "in a virtual machine, at another path there",
    { kernel: "6.8.0-lima", env: { DOCKER_SOCKET: "/run/me.sock" } },
    ["/run/me.sock", `${process.getuid?.()}:${process.getgid?.()}`, "991"],
  ],
  ["rootless", { security: "[name=seccomp name=rootless]" }, ["/", "0:0", "0"]],
] as [string, { kernel?: string; security?: string; env?: Record<string, string> }, string[]][]) {
  test(`the socket of an engine ${title}`, async (t) => {
    // Any file that is here stands in for the socket: only its group is read.
    const bin = clientOnly(
      t,
      `case $1 in
        context) echo "colima unix:///" ;;
        info) echo "${kernel} ${security}" ;;
        run) case "$*" in *"--volume ${expected[0]}:/var/run/docker.sock:ro "*"stat"*) echo 991 ;; *) exit 1 ;; esac ;;
      esac`,
    );
    const engine = join(projectDirectory, "services/bench/host/engine.sh");
    const script = `. ${engine}; find_endpoint; find_socket; echo "$mounted_socket $caller $socket_group"`;
    const { stdout, stderr } = await run(["/bin/sh", "-c", script], {
      env: { PATH: bin, DOCKER_HOST: "", DOCKER_SOCKET: "", ...env },
    });
    assert.deepEqual(stdout.trim().split(" "), expected, stderr);
  });
}

/**
 * @param args of ./bench
 * @param options kernel: of the engine; default: this machine's
 * @returns what `docker run` is given
 */
async function runArguments(
  t: TestContext,
  args: string[],
  {
    kernel = "$(uname -r)",
    home,
    env = {},
  }: { kernel?: string; home: string; env?: Record<string, string> },
): Promise<string[]> {
  const bin = clientOnly(
    t,
    `case "$1 $2" in
      "context inspect") echo "default unix:///var/run/docker.sock" ;;
      "compose version") echo 2.26.1 ;;
      "info "*) echo "${kernel} [name=seccomp]" ;;
      "run "*) case "$*" in *stat*) echo 991 ;; *) printf '%s\\n' "$@" ;; esac ;;
    esac`,
  );
  for (const tool of ["cksum", "find", "mkdir", "mktemp", "rm", "sort", "tail"])
    symlinkSync(join("/usr/bin", tool), join(bin, tool));
  // It writes into its folder.
  const project = mkdtempSync(join(tmpdir(), "bench-project-"));
  t.after(() => rmSync(project, { recursive: true }));
  for (const part of ["bench", ".env", "services/bench/host", "services/bench/help"])
    cpSync(join(projectDirectory, part), join(project, part), { recursive: true });
  const { code, stdout, stderr } = await run(["/bin/sh", join(project, "bench"), ...args], {
    env: { PATH: bin, DOCKER_HOST: "", DOCKER_CONTEXT: "", DOCKER_SOCKET: "", HOME: home, ...env },
  });
  assert.equal(code, 0, stderr);
  return stdout.replaceAll(project, "PROJECT").trim().split("\n");
}

test("hosts has the caller's contexts, keys and agent, and no other command has", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "bench-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  for (const folder of [".ssh", ".docker/contexts"])
    mkdirSync(join(home, folder), { recursive: true });
  const agent = createServer().listen(join(home, "agent.sock"));
  await once(agent, "listening");
  t.after(() => agent.close());
  const access = [
    "PROJECT/.bench/passwd:/etc/passwd:ro",
    `${home}/.ssh:${home}/.ssh`,
    `${home}/.docker/contexts:/tmp/.docker/contexts:ro`,
    `${home}/agent.sock:/run/ssh-agent.sock`,
  ];
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const env = { SSH_AUTH_SOCK: join(home, "agent.sock"), DOCKER_CONFIG: "" };
  const mounted = async (args: string[], options: object = {}) => {
    const given = await runArguments(t, args, { home, env, ...options });
    assert.deepEqual(given.slice(given.indexOf("ws-proxy-bench/bench")).slice(1), args);
    assert.equal(given.includes(`/tmp/.docker:uid=${uid},gid=${gid}`), args[0] === "hosts");
    return access.filter((mount) => given[given.indexOf(mount) - 1] === "--volume");
  };
  assert.deepEqual(await mounted(["hosts", "check"]), access);
  assert.deepEqual(await mounted(["doctor"]), []);
  assert.deepEqual(await mounted(["hosts", "leave"], { kernel: "6.8.0-lima" }), access.slice(0, 3));
});

test("an old Compose is refused with its version", async (t) => {
  const { code, stderr } = await benchWith(t, "case $1 in compose) echo 2.25.0 ;; esac");
  assert.equal(code, 1);
  assert.match(stderr, /Docker Compose is 2\.25\.0; 2\.26 or later is needed/);
});

for (const [version, expected] of [
  ["2.26.0", 0],
  ["v2.26.1-4", 0],
  ["2.100.0", 0],
  ["3.0.0", 0],
  ["5.0.1", 0],
  ["2.25.0", 1],
  ["1.29.2", 1],
  ["missing", 1],
] as const) {
  test(`Compose ${version} is ${expected === 0 ? "new enough" : "too old"}`, async () => {
    const engine = join(projectDirectory, "services/bench/host/engine.sh");
    const script = `. ${engine}; compose_version() { echo ${version}; }; compose_is_new_enough`;
    assert.equal((await run(["sh", "-c", script])).code, expected);
  });
}

test("the pid file of an engine that was killed is removed, that of a running one stays", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "bench-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const engine = join(projectDirectory, "services/bench/host/engine.sh");
  const file = join(directory, "pid");
  // A process that is alive, under its own name and under another.
  for (const [program, stays] of [
    ["sleep", true],
    ["dockerd", false],
  ] as const) {
    const script = `. ${engine}; sleep 5 & echo $! >${file}; sleep 0.1; remove_stale_pid_file ${file} ${program}; kill $!; test -e ${file}`;
    assert.equal((await run(["sh", "-c", script])).code, stays ? 0 : 1, program);
  }
});
