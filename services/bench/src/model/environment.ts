/**
 * What the results were made on: `environment.json`, and `environment` in `results.json`.
 */
import Type, { type Static } from "typebox";
import * as shape from "./shapes.ts";

export const ClockOffset = shape.object(
  {
    offsetMs: shape.number("ahead by so much"),
    uncertaintyMs: shape.amount("the truth is at most so far from that"),
  },
  "in ms, against the runner's clock",
);
export interface ClockOffset extends Static<typeof ClockOffset> {}

/** A machine of hosts.yaml. */
export const MachineOfRun = shape.object({
  name: shape.text(),
  roles: shape.list(shape.oneOf(["proxy", "servers", "load", "observe"])),
  engine: shape.text("its version"),
  cores: shape.count(),
  memoryBytes: shape.number(),
  kernel: shape.text(),
  clock: shape.nullable(ClockOffset, "when the run began; null: the runner's own machine"),
});
export interface MachineOfRun extends Static<typeof MachineOfRun> {}

export const MachineUsage = shape.object(
  {
    cores: shape.count(),
    busySeconds: shape.amount("CPU time of the whole machine, without steal"),
    stealSeconds: shape.amount("taken by the hypervisor"),
    foreignSeconds: shape.amount("by nothing of this benchmark; the Docker engine is in it"),
    benchSeconds: shape.amount("by the runner"),
    sameMachineAs: shape.optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description:
          "other names in hosts.yaml whose engines run on this machine too; absent: none",
      }),
    ),
  },
  "what a machine did over the measured phase",
);
export interface MachineUsage extends Static<typeof MachineUsage> {}

/** A finding of `./bench doctor`. */
export const Advice = shape.object({
  setting: shape.text("such as net.ipv4.tcp_max_tw_buckets, cpu governor"),
  found: shape.text(),
  expected: shape.text(),
  why: shape.text("why it matters to the figures"),
  fix: shape.text("a command, or what to do"),
  severity: shape.oneOf(["stop", "warn", "note"]),
});
export interface Advice extends Static<typeof Advice> {}

export const Environment = shape.object({
  schema: shape.only(1),
  identity: Type.Unsafe<Record<string, string | number | boolean>>({
    type: "object",
    additionalProperties: { type: ["string", "number", "boolean"] },
    description: "flat; a run is only resumed where all of these are equal",
  }),
  details: Type.Unsafe<Record<string, Record<string, string | number | boolean | null>>>({
    type: "object",
    additionalProperties: {
      type: "object",
      additionalProperties: { type: ["string", "number", "boolean", "null"] },
    },
    description: "groups of label and value",
  }),
  advice: shape.list(Advice, "host settings that are not as ./bench doctor advises"),
  machines: shape.optional(
    shape.list(MachineOfRun, "those of hosts.yaml; absent: there is one alone"),
  ),
});
export interface Environment extends Static<typeof Environment> {}

/** What every proxy is held to on its TLS port: certs/policy.json. Of no record. */
export interface TlsPolicy {
  minVersion: import("node:tls").SecureVersion;
  maxVersion: import("node:tls").SecureVersion;
  cipherSuitesTls13: string[];
  ciphersTls12: string[];
  groups: string[];
  sessionResumption: boolean;
}
