/**
 * `doctor`: what to change on this machine before its figures are worth much.
 */
import { run } from "../platform/docker.js";
import { examine } from "../machine/advice.js";

/** @import { Finding } from "../machine/advice.js" */

/** @type {[Finding["severity"], string][]} */
const GROUPS = [
  ["stop", "no run is possible like this"],
  ["warn", "figures suffer"],
  ["note", "good to know"],
  ["ok", "as it should be"],
];
const WIDTH = 100;

/**
 * @param {string} directory the project's
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit status: 1 when something stops a run
 */
export async function doctor(directory, print) {
  const findings = await examine({ directory, run });
  for (const line of formatFindings(findings)) print(line);
  print("What sysctl -w and tee change lasts until the next boot; /etc/sysctl.d/ keeps settings.");
  return findings.some(({ severity }) => severity === "stop") ? 1 : 0;
}

/**
 * @param {Finding[]} findings
 * @returns {string[]} lines, by severity; of what is as it should be a line each
 */
export function formatFindings(findings) {
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

/**
 * @param {Finding} finding
 * @param {number} column where the value begins
 */
function formatFinding({ setting, found, expected, why, fix, severity }, column) {
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

/**
 * @param {string} sentence
 * @param {number} width
 */
function wrap(sentence, width) {
  return sentence.split(" ").reduce((lines, word) => {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
    return lines;
  }, /** @type {string[]} */ ([]));
}
