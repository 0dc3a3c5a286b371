/**
 * The machines of a benchmark: hosts.yaml, read and checked. No machine is asked here.
 */
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { UserError } from "../errors.ts";
import { HOSTS_FILE } from "../plan/arguments.ts";
import { Document } from "../plan/document.ts";
import schema from "./hosts.schema.json" with { type: "json" };

/**
 * What runs on a machine. Of proxy and servers there is one each, of load one or more, and one
 * observes.
 */
export const ROLES = ["proxy", "servers", "load", "observe"] as const;

const EXAMPLE = "hosts.example.yaml";

/** The machine of ./bench itself, where the file does not name it. */
const OWN_NAME = "runner";
/** As a host name (RFC 1123), since it is one in the network. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/;
/** Roles that somebody must have; who observes is known without. */
const NEEDED = ["proxy", "servers", "load"] as Role[];

export type Role = (typeof ROLES)[number];

/** one without `context` and `host` is the one whose engine ./bench itself uses */
export interface Machine {
  name: string;
  roles: Role[];
  /** docker context */
  context?: string;
  /** address of its engine, as docker takes it */
  host?: string;
  /** IP by which the other machines reach it; none: the engine finds it */
  address?: string;
}

/**
 * @param label how messages call it
 * @returns in the order of the file; where none of them observes, the machine of ./bench itself
 *   does, and is the last where the file does not have it
 * @throws {UserError} when it is not there, or for the first mistake in it, with its line; exit
 *   code 2
 */
export function readHosts(file: string, label: string = file): Machine[] {
  if (!existsSync(file)) {
    throw new UserError(
      `there is no ${label}`,
      `Expected a file that describes the machines: cp ${EXAMPLE} ${HOSTS_FILE}, and edit it.`,
      2,
    );
  }
  const document = new Document(file, label, `Expected YAML: keys and values as in ${EXAMPLE}.`);
  document.check(schema);
  const { machines: described } = document.value as {
    machines: Record<string, Omit<Machine, "name">>;
  };
  const machines = Object.entries(described).map(([name, machine]) => ({ name, ...machine }));
  for (const [i, machine] of machines.entries())
    refuseMachine(machine, machines.slice(0, i), document);
  for (const role of ROLES) refuseRole(role, machines, document);
  return withObserver(machines);
}

/** @returns its engine is the one that ./bench itself uses */
export function isOwn({ context, host }: Pick<Machine, "context" | "host">): boolean {
  return context === undefined && host === undefined;
}

/**
 * @param before those above it in the file
 * @throws {UserError}
 */
function refuseMachine(machine: Machine, before: Machine[], document: Document) {
  const { name, context, host, address } = machine;
  const path = ["machines", name];
  if (!NAME.test(name)) {
    throw document.mistake(
      path,
      `"${name}" is not a valid name of a machine`,
      "Expected small letters, digits and hyphens, as in a host name.",
    );
  }
  if (context !== undefined && host !== undefined) {
    throw document.mistake(
      [...path, "host"],
      `${name} has a context and a host`,
      "Expected only one of them: either says where its engine is.",
    );
  }
  if (name === OWN_NAME && !isOwn(machine)) {
    throw document.mistake(
      path,
      `${name} is the name of the machine where ./bench runs, and this one is elsewhere`,
      "Expected another name, or neither context nor host.",
    );
  }
  const same = before.find((other) => other.context === context && other.host === host);
  if (same) {
    const key = context === undefined ? "host" : "context";
    throw document.mistake(
      isOwn(machine) ? path : [...path, key],
      isOwn(machine)
        ? `${same.name} and ${name} have neither context nor host: both are the engine of ./bench itself`
        : `${same.name} and ${name} have the same ${key}`,
      "Expected each machine once: a machine can have several roles.",
    );
  }
  if (address !== undefined && isIP(address) === 0) {
    throw document.mistake(
      [...path, "address"],
      `"address" is ${JSON.stringify(address)}`,
      `Expected ${schema.properties.machines.additionalProperties.properties.address.title}.`,
    );
  }
}

/** @throws {UserError} when too many have it, or none has */
function refuseRole(role: Role, machines: Machine[], document: Document) {
  const [first, second] = machines.filter(({ roles }) => roles.includes(role));
  if (second && role !== "load") {
    throw document.mistake(
      ["machines", second.name, "roles", second.roles.indexOf(role)],
      `${first.name} and ${second.name} both have the role ${role}`,
      "Expected one machine with it.",
    );
  }
  if (!first && NEEDED.includes(role)) {
    throw document.mistake(
      ["machines"],
      `no machine has the role ${role}`,
      `Expected one${role === "load" ? " or more" : ""}, with roles: [${role}]; a machine may have several.`,
    );
  }
}

/** @returns one of which observes: by default the runner's own */
function withObserver(machines: Machine[]): Machine[] {
  if (machines.some(({ roles }) => roles.includes("observe"))) return machines;
  if (!machines.some(isOwn)) return [...machines, { name: OWN_NAME, roles: ["observe"] }];
  return machines.map((machine) =>
    isOwn(machine) ? { ...machine, roles: [...machine.roles, "observe"] } : machine,
  );
}
