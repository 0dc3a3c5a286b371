/**
 * Engines that stand in for those of several machines: what Swarm, volumes, networks and images are on each, as docker would tell.
 */
import { run } from "../../platform/docker.js";

/**
 * @import { Machine } from "../file.js"
 * @import { Result } from "../../platform/docker.js"
 *
 * @typedef {object} FakeEngine
 * @property {object} info of `docker info`, beside what Swarm makes of it
 * @property {string | null} swarm id of the Swarm that it is in
 * @property {string} node its id there; empty: in none
 * @property {boolean} isManager
 * @property {Map<string, Record<string, string>>} volumes labels by name
 * @property {Set<string>} networks
 * @property {Map<string, string>} images what is in each
 * @property {Set<string>} containers on our network
 */

export const MACHINES = /** @type {Machine[]} */ ([
  { name: "middle", host: "ssh://me@middle", roles: ["proxy"] },
  { name: "back", context: "back", roles: ["servers"], address: "10.0.0.12" },
  { name: "front", host: "tcp://10.0.0.13:2375", roles: ["load"] },
  { name: "runner", roles: ["observe"] },
]);

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

/**
 * @param {Record<string, Partial<FakeEngine>>} [differences] by name of the machine
 */
export function fakeEngines(differences = {}) {
  let count = 0;
  /** @type {Map<string, FakeEngine>} by the option that leads there; the runner's own has none */
  const engines = new Map(
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
    /** @type {string[]} commands that change something, with the option that leads to the engine */
    changes: /** @type {string[]} */ ([]),
    /** How many of them succeed; each later one fails and does nothing. */
    allowed: Infinity,
    /** @type {Set<string>} options that lead to engines that do not answer */
    silent: new Set(),
    /** @type {Set<string>} options that lead to engines that were stopped: docker says nothing, and does not end */
    stopped: new Set(),

    /** @returns {unknown} all that can be changed */
    state() {
      return structuredClone(engines);
    },

    /**
     * @param {string[]} command
     * @param {{limit?: AbortSignal}} [options]
     * @returns {Promise<Result>}
     */
    async run([program, ...words], { limit } = {}) {
      if (program === "bash") return fakes.copy(words);
      const option = /^--(host|context)$/.test(words[0]) ? words[1] : "";
      const args = option === "" ? words : words.slice(2);
      const engine = /** @type {FakeEngine} */ (engines.get(option));
      if (fakes.stopped.has(option)) return run(["sleep", "600"], { limit });
      if (fakes.silent.has(option)) return failed("Cannot connect to the Docker daemon");
      if (!READING.test(args.join(" "))) {
        if (fakes.changes.length >= fakes.allowed) return failed("the engine has ended");
        fakes.changes.push(`${option} ${args.join(" ")}`);
      }
      return answer(engine, args, engines, () => String(++count));
    },

    /** @param {string[]} words of the shell that copies images */
    copy(words) {
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
 * @param {FakeEngine} engine
 * @param {string[]} args of docker
 * @param {Map<string, FakeEngine>} engines
 * @param {() => string} next a new id
 * @returns {Result}
 */
function answer(engine, args, engines, next) {
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

/** @param {string} container */
function isOurs(container) {
  return container !== "theirs";
}

/** @param {FakeEngine} engine */
function swarmOf({ swarm, node, isManager, info }) {
  return {
    LocalNodeState: swarm ? "active" : "inactive",
    NodeID: node,
    NodeAddr: swarm ? `address-of-${/** @type {{ID: string}} */ (info).ID}` : "",
    ControlAvailable: isManager,
    Error: "",
  };
}

/**
 * @param {string[]} args
 * @param {string} option
 * @returns {string[][]} key and value of each
 */
function optionsOf(args, option) {
  return args.flatMap((word, i) => (args[i - 1] === option ? [word.split("=")] : []));
}

/** @param {string | string[]} stdout @returns {Result} */
function done(stdout) {
  const text = [stdout].flat().join("\n");
  return { code: 0, stdout: text, stderr: "", output: text };
}

/** @param {string} stderr @returns {Result} */
function failed(stderr) {
  return { code: 1, stdout: "", stderr, output: stderr };
}
