/**
 * Engines that stand in for those of several machines: what Swarm, volumes, networks and images are
 * on each, as docker would tell.
 */
import { run } from "../../platform/subprocess.ts";
import type { Machine } from "../file.ts";
import type { Result } from "../../platform/subprocess.ts";

interface FakeEngine {
  /** of `docker info`, beside what Swarm makes of it */
  info: object;
  /** id of the Swarm that it is in */
  swarm: string | null;
  /** its id there; empty: in none */
  node: string;
  isManager: boolean;
  /** labels by name */
  volumes: Map<string, Record<string, string>>;
  networks: Set<string>;
  /** what is in each */
  images: Map<string, string>;
  /** on our network */
  containers: Set<string>;
}

export const MACHINES = [
  { name: "middle", host: "ssh://me@middle", roles: ["proxy"] },
  { name: "back", context: "back", roles: ["servers"], address: "10.0.0.12" },
  { name: "front", host: "tcp://10.0.0.13:2375", roles: ["load"] },
  { name: "runner", roles: ["observe"] },
] as Machine[];

export const INFO = {
  ServerVersion: "28.2.2",
  Architecture: "x86_64",
  NCPU: 8,
  MemTotal: 16 * 2 ** 30,
  CgroupDriver: "systemd",
  CgroupVersion: "2",
  MemoryLimit: true,
};

/** Commands that change nothing. */
const READING =
  /^(info|version|ps|(volume|network|node|image) (ls|inspect)|container inspect|swarm join-token)( |$)/;

/** @param differences by name of the machine */
export function fakeEngines(differences: Record<string, Partial<FakeEngine>> = {}) {
  let count = 0;
  /** by the option that leads there; the runner's own has none */
  const engines: Map<string, FakeEngine> = new Map(
    MACHINES.map(({ name, host, context }) => [
      host ?? context ?? "",
      {
        swarm: null,
        node: "",
        isManager: false,
        volumes: new Map([["theirs", {}]]),
        networks: new Set(["bridge", "host"]),
        images: new Map(),
        containers: new Set(["theirs"]),
        ...differences[name],
        info: { ID: name, ...INFO, ...differences[name]?.info },
      },
    ]),
  );
  const fakes = {
    engines,
    /** commands that change something, with the option that leads to the engine */
    changes: [] as string[] as string[],
    /** How many of them succeed; each later one fails and does nothing. */
    allowed: Infinity,
    /** options that lead to engines that do not answer */
    silent: new Set() as Set<string>,
    /** options that lead to engines that were stopped: docker says nothing, and does not end */
    stopped: new Set() as Set<string>,

    /** @returns all that can be changed */
    state(): unknown {
      return structuredClone(engines);
    },

    async run(
      [program, ...words]: string[],
      { limit }: { limit?: AbortSignal } = {},
    ): Promise<Result> {
      if (program === "bash") return fakes.copy(words);
      const option = /^--(host|context)$/.test(words[0]) ? words[1] : "";
      const args = option === "" ? words : words.slice(2);
      const engine = engines.get(option) as FakeEngine;
      if (fakes.stopped.has(option)) return run(["sleep", "600"], { limit });
      if (fakes.silent.has(option)) return failed("Cannot connect to the Docker daemon");
      if (!READING.test(args.join(" "))) {
        if (fakes.changes.length >= fakes.allowed) return failed("the engine has ended");
        fakes.changes.push(`${option} ${args.join(" ")}`);
      }
      return answer(engine, args, engines, () => String(++count));
    },

    /** @param words of the shell that copies images */
    copy(words: string[]) {
      if (fakes.changes.length >= fakes.allowed) return failed("unexpected EOF");
      const [, number, ...rest] = words.slice(words.indexOf("bash"));
      const images = rest.slice(0, Number(number)).map((image) => image.replace(/:latest$/, ""));
      const option = rest.slice(Number(number))[2] ?? "";
      fakes.changes.push(`${option} load ${images.join(" ")}`);
      const [from, to] = [engines.get(""), engines.get(option)];
      for (const image of images) to?.images.set(image, from?.images.get(image) ?? "");
      return done("");
    },
  };
  return fakes;
}

/**
 * @param args of docker
 * @param next a new id
 */
function answer(
  engine: FakeEngine,
  args: string[],
  engines: Map<string, FakeEngine>,
  next: () => string,
): Result {
  const [verb, noun] = args;
  const last = args.at(-1) ?? "";
  const others = [...engines.values()].filter(({ swarm }) => swarm && swarm === engine.swarm);
  const manager = [...engines.values()].find(({ isManager }) => isManager);
  switch (`${verb} ${noun ?? ""}`) {
    case "info --format":
      return done(JSON.stringify({ ...engine.info, Swarm: swarmOf(engine) }));
    case "volume create":
      engine.volumes.set(last, Object.fromEntries(optionsOf(args, "--label")));
      return done(last);
    case "volume ls": {
      const label = last.replace("label=", "");
      return done([...engine.volumes].flatMap(([name, has]) => (label in has ? name : [])));
    }
    case "volume inspect": {
      const names = args.slice(2);
      return done(
        JSON.stringify(names.map((Name) => ({ Name, Labels: engine.volumes.get(Name) }))),
      );
    }
    case "volume rm":
      for (const name of args.slice(2)) engine.volumes.delete(name);
      return done("");
    case "network ls":
      return done([...engine.networks]);
    case "network create":
      engine.networks.add(last);
      return done("1");
    case "network rm":
      engine.networks.delete(last);
      return done("");
    case "swarm init":
      Object.assign(engine, { swarm: next(), node: next(), isManager: true });
      engine.networks.add("docker_gwbridge");
      return done("");
    case "swarm join-token":
      return done("SWMTKN-1");
    case "swarm join":
      Object.assign(engine, { swarm: manager?.swarm, node: next() });
      engine.networks.add("docker_gwbridge");
      return done("");
    case "swarm leave":
      Object.assign(engine, { swarm: null, node: "", isManager: false });
      engine.networks.delete("ws-proxy-bench-hosts");
      return done("");
    case "node ls":
      return done(others.map(({ node }) => node));
    case "node update":
      return others.some(({ node }) => node === last) ? done("") : failed("node not found");
    case "image inspect":
      return done(
        args
          .slice(4)
          .flatMap((image) =>
            engine.images.has(image)
              ? `["${image}:latest"] ${JSON.stringify(engine.images.get(image))}`
              : [],
          ),
      );
    case "image rm":
      return engine.images.delete(last) ? done("") : failed("No such image");
    case "ps --all":
      return done(last.startsWith("network=") ? [...engine.containers].filter(isOurs) : "");
    case "rm --force":
      for (const name of args.slice(3)) engine.containers.delete(name);
      return done("");
    default:
      throw new Error(`the stand-in does not know: docker ${args.join(" ")}`);
  }
}

function isOurs(container: string) {
  return container !== "theirs";
}

function swarmOf({ swarm, node, isManager, info }: FakeEngine) {
  return {
    LocalNodeState: swarm ? "active" : "inactive",
    NodeID: node,
    NodeAddr: swarm ? `address-of-${(info as { ID: string }).ID}` : "",
    ControlAvailable: isManager,
    Error: "",
  };
}

/** @returns key and value of each */
function optionsOf(args: string[], option: string): string[][] {
  return args.flatMap((word, i) => (args[i - 1] === option ? [word.split("=")] : []));
}

function done(stdout: string | string[]): Result {
  const text = [stdout].flat().join("\n");
  return { code: 0, stdout: text, stderr: "", output: text };
}

function failed(stderr: string): Result {
  return { code: 1, stdout: "", stderr, output: stderr };
}
