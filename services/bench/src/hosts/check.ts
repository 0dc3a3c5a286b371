/**
 * Whether the machines of hosts.yaml can carry a benchmark together, and what to do where they
 * cannot.
 */
import { UserError } from "../errors.ts";
import { BENCH_IMAGE, COUNTERS_FIX, missingCounters, probeEngine } from "../machine/engine.ts";
import { clockOffset } from "./clock.ts";
import { isReached } from "./engines.ts";
import { describeSpeed, linksOf, measureLink } from "./links.ts";
import { takenPortsOn } from "./ports.ts";
import { hasNetwork, hindrance, managerOf, NETWORK, standingsOf, SWARM_PORTS } from "./swarm.ts";
import type { Finding } from "../machine/advice.ts";
import type { Offset } from "./clock.ts";
import type { HostEngine, ReachedEngine } from "./engines.ts";
import type { ImageState } from "./images.ts";
import type { Network } from "./links.ts";
import type { Standing } from "./swarm.ts";

/** Clocks further apart than this put what one machine did beside the wrong second of another. */
const CLOCK_LIMIT_MS = 10;

const JOIN = "./bench hosts join";
const OPEN_PORTS =
  "Open between the machines: TCP 2377 on the one that observes, TCP and UDP 7946 and UDP 4789 on all.";

/**
 * What engines say by themselves: nothing is started.
 *
 * @returns what stops a join has the severity "stop"
 */
export function judgeEngines(engines: HostEngine[]): Finding[] {
  const first = engines.find(isReached);
  return engines.flatMap((engine) => {
    const { name } = engine.machine;
    if (!isReached(engine)) {
      return [
        {
          setting: `${name}: engine`,
          found: "no answer",
          expected: "an engine that answers",
          why: engine.error,
          fix: `${engine.client.join(" ")} info must work on the machine where ./bench runs. Log in once by hand over SSH to accept the machine's key.`,
          severity: "stop",
        },
      ];
    }
    return judgeEngine(engine, first as ReachedEngine, engines.filter(isReached));
  });
}

/** @param first what the others are compared with */
function judgeEngine(
  { machine: { name, roles }, info }: ReachedEngine,
  first: ReachedEngine,
  all: ReachedEngine[],
): Finding[] {
  const twin = all.find((other) => other.info.ID === info.ID && other.machine.name !== name);
  const missing = missingCounters(info);
  const gigabytes = (info.MemTotal / 2 ** 30).toFixed(1);
  const findings: Finding[] = [
    fine(`${name}: machine`, `${info.NCPU} cores, ${gigabytes} GiB, for ${roles.join(", ")}`),
    {
      ...fine(`${name}: engine`, info.ServerVersion),
      expected: `${first.info.ServerVersion}, as on ${first.machine.name}`,
      why: "Engines of different versions may have different limits and counters.",
      fix: "Install the same version on all machines.",
      severity: info.ServerVersion === first.info.ServerVersion ? "ok" : "warn",
    },
    {
      ...fine(`${name}: architecture`, info.Architecture),
      expected: `${first.info.Architecture}, as on ${first.machine.name}`,
      why: "The same images must run on all machines, and work costs different CPU time on different architectures.",
      fix: "Use machines of one architecture.",
      severity: info.Architecture === first.info.Architecture ? "ok" : "stop",
    },
  ];
  if (missing) {
    findings.push({
      setting: `${name}: counters of containers`,
      found: missing,
      expected: "CPU, memory",
      why: "Every table is made from them.",
      fix: COUNTERS_FIX,
      severity: "stop",
    });
  }
  if (twin) {
    findings.push({
      setting: `${name}: engine's id`,
      found: `that of ${twin.machine.name}`,
      expected: "another",
      why: "Both lead to one engine, or the machine was cloned with its engine's key.",
      fix: "Name each machine once, with all its roles. After a clone: delete /etc/docker/key.json and the file engine-id in the engine's data folder, and restart it.",
      severity: "stop",
    });
  }
  return findings;
}

/**
 * Everything; what it starts ends with it. Takes 10 s for each way between machines.
 *
 * @param images of each machine that was reached
 */
export async function examineHosts(
  engines: HostEngine[],
  images: Map<HostEngine, ImageState>,
): Promise<Finding[]> {
  const reached = engines.filter(isReached);
  const standings = await standingsOf(reached);
  const findings = judgeEngines(engines);
  const equipped: ReachedEngine[] = [];
  for (const engine of reached) {
    const state = images.get(engine) as ImageState;
    const { state: standing } = standings.get(engine) as Standing;
    findings.push(judgeStanding(engine, standing), judgeImages(engine, state));
    if ([...state.missing, ...state.nowhere].includes(BENCH_IMAGE)) {
      findings.push(notLooked(engine));
      continue;
    }
    try {
      if (standing === "out") findings.push(await examinePorts(engine));
      findings.push(await examineLimits(engine), await examineClock(engine));
      equipped.push(engine);
    } catch (error) {
      findings.push(notAnswered(engine, error));
    }
  }
  const manager = managerOf(reached);
  const isJoined =
    reached.length === engines.length &&
    reached.every((engine) => standings.get(engine)?.state === "joined");
  const isNetworked = isJoined && (await hasNetwork(manager));
  if (isJoined && !isNetworked) {
    findings.push({
      setting: `network ${NETWORK}`,
      found: "not there",
      expected: "there",
      why: "Containers on different machines reach each other over it.",
      fix: JOIN,
      severity: "stop",
    });
  }
  for (const [from, to] of linksOf(equipped)) {
    if (isNetworked) findings.push(await examineLink(from, to, "overlay"));
    findings.push(await examineLink(from, to, "host"));
  }
  return findings;
}

function judgeStanding(engine: ReachedEngine, state: Standing["state"]): Finding {
  const setting = `${engine.machine.name}: Swarm`;
  if (state === "joined") return fine(setting, "joined");
  const found = hindrance(engine, state);
  return {
    setting,
    found: found?.fact ?? "not joined",
    expected: "joined",
    why: "Swarm's overlay is the network over all machines.",
    fix: found?.next ?? JOIN,
    severity: "stop",
  };
}

function judgeImages({ machine }: ReachedEngine, { missing, nowhere }: ImageState): Finding {
  const setting = `${machine.name}: images`;
  if (missing.length === 0 && nowhere.length === 0) return fine(setting, "all there");
  return {
    setting,
    found: [
      missing.length > 0 ? `missing or different: ${missing.join(", ")}` : "",
      nowhere.length > 0 ? `missing on both machines: ${nowhere.join(", ")}` : "",
    ]
      .filter(Boolean)
      .join("; "),
    expected: "those of its roles, the same as here",
    why: "All machines must run the same builds.",
    fix: [nowhere.length > 0 ? "./bench setup" : "", missing.length > 0 ? JOIN : ""]
      .filter(Boolean)
      .join(", then "),
    severity: "stop",
  };
}

function notLooked({ machine }: ReachedEngine): Finding {
  return {
    setting: `${machine.name}: ports, limits, clock, network`,
    found: "not looked at",
    expected: "to be known",
    why: "A container of this program checks it, and its image is not there yet.",
    fix: `${JOIN} copies it; then check again.`,
    severity: "note",
  };
}

/**
 * @param error of a look at its machine
 * @returns the others are still checked
 * @throws the error, where it is a fault of this program
 */
function notAnswered({ machine }: ReachedEngine, error: unknown): Finding {
  if (!(error instanceof UserError)) throw error;
  return {
    setting: `${machine.name}: ports, limits, clock, network`,
    found: error.message,
    expected: "to be known",
    why: "A container of this program checks it there.",
    fix: error.next,
    severity: "stop",
  };
}

/** @param engine that is in no Swarm */
async function examinePorts(engine: ReachedEngine): Promise<Finding> {
  const setting = `${engine.machine.name}: ports of the overlay`;
  const taken = (await takenPortsOn(engine)).map(({ protocol, port }) => `${protocol} ${port}`);
  if (taken.length === 0)
    return fine(setting, `${[...new Set(SWARM_PORTS.map(({ port }) => port))].join(", ")} free`);
  return {
    setting,
    found: `taken: ${taken.join(", ")}`,
    expected: "free",
    why: "Swarm has only these: 2377 for control, 7946 between nodes, 4789 for VXLAN.",
    fix: `On ${engine.machine.name}, stop what listens there: sudo ss -lntup shows it.`,
    severity: "stop",
  };
}

async function examineLimits({ machine, run }: ReachedEngine): Promise<Finding> {
  const setting = `${machine.name}: limits`;
  const probe = await probeEngine(run);
  if (!probe) {
    return {
      setting,
      found: "not known",
      expected: "to be known",
      why: "The descriptor limit of a process limits the connections of its machine.",
      fix: "This engine refuses a container without capabilities in the machine's own network: remapped users do.",
      severity: "note",
    };
  }
  const { descriptors, settings } = probe;
  const conntrack = settings["net.netfilter.nf_conntrack_max"];
  return fine(
    setting,
    `${descriptors.hard} descriptors per process, ${conntrack ?? "no limit of"} conntrack entries`,
  );
}

async function examineClock(engine: ReachedEngine): Promise<Finding> {
  return judgeClock(engine, await clockOffset(engine));
}

/** @param offset against the machine where this runs */
export function judgeClock(
  { machine }: Pick<HostEngine, "machine">,
  { offsetMs, uncertaintyMs }: Offset,
): Finding {
  const apart = Math.abs(offsetMs);
  return {
    setting: `${machine.name}: clock`,
    found: `${offsetMs.toFixed(2)} ms ± ${uncertaintyMs.toFixed(2)}`,
    expected: `within ${CLOCK_LIMIT_MS} ms of the machine where ./bench runs`,
    why:
      apart - uncertaintyMs > CLOCK_LIMIT_MS
        ? "Otherwise events of one machine appear at the wrong time of another."
        : "It may be too far off: the connection to that engine is too slow to measure it.",
    fix: "Use one time server for all machines: chrony, or systemd-timesyncd (timedatectl set-ntp true).",
    severity:
      apart - uncertaintyMs > CLOCK_LIMIT_MS
        ? "stop"
        : apart + uncertaintyMs > CLOCK_LIMIT_MS
          ? "warn"
          : "ok",
  };
}

async function examineLink(
  from: ReachedEngine,
  to: ReachedEngine,
  network: Network,
): Promise<Finding> {
  const setting = `${from.machine.name} → ${to.machine.name}, ${network === "overlay" ? "overlay" : "their own network"}`;
  try {
    return fine(setting, describeSpeed(await measureLink(from, to, network)));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return {
      setting,
      found: "not measured",
      expected: "round trip and bandwidth",
      why: [error.message, error.next].filter(Boolean).join(": "),
      fix:
        network === "overlay"
          ? OPEN_PORTS
          : `To reach ${to.machine.name} without the overlay, open TCP 5201, and write the right address into the file.`,
      severity: network === "overlay" ? "stop" : "note",
    };
  }
}

function fine(setting: string, found: string): Finding {
  return { setting, found, expected: "", why: "", fix: "", severity: "ok" };
}
