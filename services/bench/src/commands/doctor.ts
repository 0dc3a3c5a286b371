/**
 * `doctor`: what to change on this machine before its figures are worth much.
 */
import { run } from "../platform/subprocess.ts";
import { examine } from "../machine/advice.ts";
import type { Finding } from "../machine/advice.ts";

const GROUPS: [Finding["severity"], string][] = [
  ["stop", "no run is possible like this"],
  ["warn", "figures suffer"],
  ["note", "good to know"],
  ["ok", "as it should be"],
];
const WIDTH = 100;

/**
 * @param directory the project's
 * @returns exit status: 1 when something stops a run
 */
export async function doctor(directory: string, print: (line: string) => void): Promise<number> {
  const findings = await examine({ directory, run });
  for (const line of formatFindings(findings)) print(line);
  print("What sysctl -w and tee change lasts until the next boot; /etc/sysctl.d/ keeps settings.");
  return findings.some(({ severity }) => severity === "stop") ? 1 : 0;
}

/** @returns lines, by severity; of what is as it should be a line each */
export function formatFindings(findings: Finding[]): string[] {
  const column = Math.max(...findings.map(({ setting }) => setting.length)) + 2;
  const lines = GROUPS.flatMap(([severity, meaning]) => {
    const group = findings.filter((finding) => finding.severity === severity);
    if (group.length === 0) return [];
    return [
      `${severity}: ${meaning}`,
      ...group.flatMap((finding) => formatFinding(finding, column)),
      "",
    ];
  });
  const counts = GROUPS.map(
    ([severity]) =>
      `${findings.filter((finding) => finding.severity === severity).length} ${severity}`,
  );
  return [...lines, `${counts.join(", ")}.`];
}

/** @param column where the value begins */
function formatFinding({ setting, found, expected, why, fix, severity }: Finding, column: number) {
  const head = `  ${setting.padEnd(column)}${found}`;
  if (severity === "ok") return [head];
  const indent = " ".repeat(6);
  return [
    `${head}, expected: ${expected}`,
    ...wrap(why, WIDTH - indent.length).map((line) => indent + line),
    // A command is copied whole.
    `${indent}→ ${fix}`,
  ];
}

function wrap(sentence: string, width: number) {
  return sentence.split(" ").reduce((lines, word) => {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
    return lines;
  }, [] as string[]);
}
