/**
 * Further engines on this machine, for tests of several: each is a container that has a network of
 * its own and runs the machine's own dockerd on the machine's own files. So the engines are joined
 * by a bridge that Docker makes, and what one of them leaves goes with its container and its
 * volume.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { OWN_ENGINE } from "../src/platform/engine.ts";
import { check, run } from "../src/platform/subprocess.ts";
import { until } from "../src/platform/wait.ts";
import { atEnd, projectDirectory, uniqueName } from "./lab.ts";
import type { TestContext } from "node:test";

const IMAGE = "ws-proxy-bench/bench";
const START_LIMIT_MS = 60_000;
/** dockerd takes up to 15 s for the containers that it still has. */
const STOP_SECONDS = 30;

/**
 * What an engine needs beyond what containers have. Not `--privileged`: that asks for all that
 * there are, and a machine that has not all of them itself refuses it.
 */
const CAPABILITIES = ["NET_ADMIN", "SYS_ADMIN", "SYS_PTRACE"];

/**
 * A container's parent process is the engine's, and has the machine's files. Process 1 has them
 * too, but not every machine lets it be looked at. What follows is given on to the shell that is
 * started there.
 */
const ENTER = 'exec nsenter --target "$PPID" --mount --root unshare --mount sh -c "$@"';

/**
 * On the machine's files, but with mounts of its own, which end with it: its key, its configuration
 * and its containerd are not those of the machine's own engine.
 */
const DOCKERD = `cd /
command -v dockerd >/dev/null || { echo "no dockerd where this machine's engine runs"; exit 1; }
for folder in /etc/docker /run/containerd; do mkdir -p $folder && mount -t tmpfs tmpfs $folder || exit 1; done
exec dockerd "$@"`;

/**
 * Starts engines that are gone when the test is; or skips the test where this machine's engine lets
 * none be started.
 *
 * @returns folder: in the project's, with their sockets; hosts: the address of each for `docker
 *   --host`; containers: that of each, which ends and starts it; gateway: address of the machine's
 *   own engine in their network; null: the test is skipped
 */
export async function furtherEngines(
  t: TestContext,
  names: string[],
): Promise<{
  folder: string;
  hosts: Record<string, string>;
  containers: Record<string, string>;
  gateway: string;
} | null> {
  const project = uniqueName();
  // The engine and this container know it by the same path, and a socket's must be short.
  const folder = join(projectDirectory, ".bench", project);
  mkdirSync(folder, { recursive: true });
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  await check(["docker", "network", "create", project]);
  atEnd(t, () => run(["docker", "network", "rm", project]));
  const format = ["--format", "{{(index .IPAM.Config 0).Gateway}}"];
  const gateway = (await check(["docker", "network", "inspect", ...format, project])).trim();
  const hosts: Record<string, string> = {};
  const containers: Record<string, string> = {};
  for (const name of names) {
    const socket = join(folder, `${name}.sock`);
    containers[name] = `${project}-${name}`;
    const reason = await startEngine(t, { name: containers[name], network: project, socket });
    if (reason) {
      t.skip(`no further engine can be started on this machine: ${reason}`);
      return null;
    }
    hosts[name] = `unix://${socket}`;
  }
  return { folder, hosts, containers, gateway };
}

/**
 * @param engine name: of container and volume
 * @returns why this machine's engine does not let it start
 * @throws {Error} when it could, but does not answer
 */
async function startEngine(
  t: TestContext,
  { name, network, socket }: { name: string; network: string; socket: string },
): Promise<string | null> {
  await check(["docker", "volume", "create", name]);
  atEnd(t, () => check(["docker", "volume", "rm", name]));
  const format = ["--format", "{{.Mountpoint}}"];
  const data = (await check(["docker", "volume", "inspect", ...format, name])).trim();
  atEnd(t, async () => {
    await run(["docker", "stop", "-t", String(STOP_SECONDS), name]);
    await OWN_ENGINE.remove([name]);
  });
  const started = await run([
    ...["docker", "run", "--detach", "--name", name, "--network", network, "--user", "0:0"],
    ...["--pid", "host", "--cgroupns", "host"],
    ...CAPABILITIES.flatMap((name) => ["--cap-add", name]),
    ...["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"],
    ...["--entrypoint", "sh", IMAGE, "-c", ENTER, "sh", DOCKERD, "sh"],
    ...["--host", `unix://${socket}`],
    ...["--data-root", `${data}/data`, "--exec-root", `${data}/exec`, "--pidfile", `${data}/pid`],
    // systemd's driver would ask for a slice that is not there.
    ...["--exec-opt", "native.cgroupdriver=cgroupfs"],
  ]);
  if (started.code !== 0) return started.output.trim();
  const answers = async () =>
    (await run(["docker", "--host", `unix://${socket}`, "version"])).code === 0;
  const runs = async () =>
    (await check(["docker", "inspect", "--format", "{{.State.Running}}", name])).trim() === "true";
  await until(
    Date.now() + START_LIMIT_MS,
    async () => (await answers()) || !(await runs()),
    (isOver) => isOver,
  );
  if (await answers()) return null;
  const log = (await run(["docker", "logs", "--tail", "20", name])).output.trim();
  if (/^(nsenter|unshare|mount|no dockerd)/m.test(log)) return log;
  throw new Error(`the engine ${name} does not answer:\n${log}`);
}

/** @param args of docker */
export const docker = (host: string, ...args: string[]) =>
  check(["docker", "--host", host, ...args]);

/** @returns everything that these engines have */
export async function inventory(hosts: Record<string, string>): Promise<Record<string, unknown>> {
  const entries = Object.entries(hosts).map(async ([name, host]) => {
    const list = async (...args: string[]) =>
      (await docker(host, ...args)).split("\n").filter(Boolean).sort();
    return [
      name,
      {
        swarm: (await docker(host, "info", "--format", "{{.Swarm.LocalNodeState}}")).trim(),
        networks: await list("network", "ls", "--format", "{{.Name}}"),
        volumes: await list("volume", "ls", "--quiet"),
        images: await list("image", "ls", "--all", "--quiet"),
        containers: await list("ps", "--all", "--quiet"),
      },
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
}
