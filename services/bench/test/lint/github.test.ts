/**
 * The action and the release: their shape, and their scripts as a runner runs them, with programs
 * that stand in for ./bench and gh.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { MEASURES } from "../../src/commands/definitions/try.ts";
import { run } from "../../src/platform/subprocess.ts";
import type { TestContext } from "node:test";

/** The copy of the project that these tests run in. */
const root = join(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const action = parse(read("action.yml"));
const [step] = action.runs.steps;
const script = read(".github/try");

test("every input of the action has a description, and a default unless it is required", () => {
  for (const [name, input] of Object.entries<any>(action.inputs)) {
    assert.ok(input.description, name);
    assert.equal(typeof input.default, input.required ? "undefined" : "string", name);
    assert.deepEqual(
      Object.keys(input).filter((key) => !["description", "required", "default"].includes(key)),
      [],
    );
  }
  const measures: string[] = action.inputs.measure.default.split(",");
  assert.ok(measures.every((one) => MEASURES.some((known) => known === one)));
});

test("its one step passes every input on, and its script reads every one", () => {
  assert.equal(action.runs.using, "composite");
  assert.equal(action.runs.steps.length, 1);
  assert.equal(step.run, '"$GITHUB_ACTION_PATH/.github/try"');
  const passed = Object.values<string>(step.env).flatMap((value) =>
    [...value.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name),
  );
  assert.deepEqual(passed.sort(), Object.keys(action.inputs).sort());
  const named = Object.keys(step.env).filter((name) => name.startsWith("TRY_"));
  assert.deepEqual([...new Set(script.match(/\bTRY_\w+/g))].sort(), named.sort());
});

test("its outputs are what the script writes", () => {
  for (const [name, { value, description }] of Object.entries<any>(action.outputs)) {
    assert.ok(description, name);
    assert.equal(value, `\${{ steps.${step.id}.outputs.${name} }}`);
    assert.ok(script.includes(`${name}=%s`), name);
  }
});

test("what the documentation gives the action, it takes", () => {
  const [, yaml] = /```yaml\n(.*?)```/s.exec(read("docs/own-config.md")) ?? [];
  const { jobs } = parse(yaml ?? "");
  const [job] = Object.values<any>(jobs);
  const [use] = job.steps.filter(({ uses = "" }: any) => uses.includes("ws-proxy-bench"));
  const required = Object.keys(action.inputs).filter((name) => action.inputs[name].required);
  const given = Object.keys(use.with);
  assert.deepEqual(
    given.filter((name) => !(name in action.inputs)),
    [],
  );
  assert.deepEqual(
    required.filter((name) => !given.includes(name)),
    [],
  );
  assert.equal(job.permissions["pull-requests"], "write");
});

/** Programs that note what they are called with, in `calls`; each a shell script's body. */
function runner(t: TestContext, programs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "bench-action-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, ".github"));
  for (const name of ["try", "release"])
    copyFileSync(join(root, ".github", name), join(folder, ".github", name));
  for (const [name, body] of Object.entries(programs)) {
    const noted = `printf '%s\\n' "${name} $*" >>"$GITHUB_ACTION_PATH/calls"`;
    writeFileSync(join(folder, name), `#!/bin/sh\n${noted}\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    GITHUB_ACTION_PATH: folder,
    RUNNER_TEMP: folder,
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_REPOSITORY: "me/mine",
  };
  const text = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";
  return { folder, env, text };
}

/** What the runner makes of the step's environment. */
function withInputs(given: Record<string, string>, pullRequest: string): Record<string, string> {
  const valueOf = (value: string) =>
    value
      .replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name) => given[name] ?? action.inputs[name].default,
      )
      .replace("${{ github.event.pull_request.number }}", pullRequest);
  return Object.fromEntries(
    Object.entries<string>(step.env).map(([name, value]) => [name, valueOf(value)]),
  );
}

const MINE = { proxy: "nginx", config: "deploy/my nginx.conf" };
const WORSE = "echo '| table |'; exit 1";
const [LISTED, NEW, OVER] = [
  "gh api --paginate repos/me/mine/issues/7/comments",
  "gh api --silent repos/me/mine/issues/7/comments --field body=@",
  "gh api --silent --method PATCH repos/me/mine/issues/comments/41 --field body=@",
];

for (const [title, { bench = WORSE, gh = "", given = {}, pullRequest = "7" }, expected] of [
  [
    "worse: the table, the status, and a comment",
    {},
    { status: 1, told: "| table |", calls: [LISTED, NEW] },
  ],
  [
    "a pull request with a comment from before: it is written over",
    { gh: 'case "$*" in *paginate*) printf "41\\n42\\n" ;; esac' },
    { status: 1, told: "| table |", calls: [LISTED, OVER] },
  ],
  [
    "a fork's token: a notice, and the status",
    { gh: 'echo "HTTP 403" >&2; exit 1' },
    { status: 1, told: "| table |", calls: [LISTED], says: "::notice::The pull request has no" },
  ],
  ["no pull request", { pullRequest: "" }, { status: 1, told: "| table |", calls: [] }],
  [
    "no comment wanted",
    { given: { comment: "false" } },
    { status: 1, told: "| table |", calls: [] },
  ],
  [
    "nothing printed: the log is named",
    { bench: "exit 2" },
    { status: 2, told: "`try` ended with status 2: see the log", calls: [LISTED, NEW] },
  ],
  [
    "no worse, with every input",
    {
      bench: "echo fine",
      given: { against: "HEAD~1", image: "my:1", tolerance: "5%", options: "--path /ws" },
      pullRequest: "",
    },
    {
      status: 0,
      told: "fine",
      calls: [],
      words: "--tolerance 5% --against HEAD~1 --image my:1 --path /ws",
    },
  ],
] as [
  string,
  { bench?: string; gh?: string; given?: Record<string, string>; pullRequest?: string },
  { status: number; told: string; calls: string[]; says?: string; words?: string },
][]) {
  test(`the action's step, ${title}`, async (t) => {
    const { folder, env, text } = runner(t, { bench, gh });
    const own = { ...env, ...withInputs({ ...MINE, "github-token": "t", ...given }, pullRequest) };
    const { code, stdout } = await run(["bash", "-eo", "pipefail", "-c", step.run], { env: own });
    assert.equal(code, expected.status);
    assert.equal(text("output"), `status=${expected.status}\nreport=${folder}/results\n`);
    const summary = text("summary");
    assert.match(summary, /^<!-- ws-proxy-bench: nginx deploy\/my nginx\.conf -->\n## /);
    assert.ok(summary.includes(expected.told), summary);
    assert.match(summary, /cannot measure latency\.\n$/);
    const [tried, ...calls] = text("calls").trim().split("\n");
    const words = expected.words ?? "--tolerance 25%";
    const measured = "--markdown --measure cpu,memory,reload";
    assert.equal(tried, `bench try nginx deploy/my nginx.conf ${measured} ${words}`);
    assert.deepEqual(
      calls.map((call, i) => call.slice(0, expected.calls[i]?.length)),
      expected.calls,
    );
    assert.ok(stdout.includes(expected.says ?? ""), stdout);
  });
}

const CHANGES = "# Changes\n\n## 1.2.3\n\n- new\n\n### Sub\n\n- more\n\n## 1.2.2\n\n- old\n";

for (const [title, { tag = "v1.2.3", changes = CHANGES, gh = "" }, expected] of [
  [
    "makes the release, with its section, and moves the major tag",
    {},
    {
      calls: [
        "gh release create v1.2.3 --verify-tag --title v1.2.3 --notes-file ",
        "gh api --silent --method PATCH repos/me/mine/git/refs/tags/v1 --raw-field sha=abc --field force=true",
      ],
    },
  ],
  [
    "makes the first major tag",
    { gh: 'case "$*" in *PATCH*) exit 1 ;; esac' },
    {
      calls: [
        "gh release create",
        "gh api --silent --method PATCH",
        "gh api --silent repos/me/mine/git/refs --raw-field ref=refs/tags/v1 --raw-field sha=abc",
      ],
    },
  ],
  [
    "refuses a tag that is not the version",
    { tag: "v1.2.4" },
    { calls: [], says: /^::error::The tag is v1\.2\.4, the version is 1\.2\.3\. Expected/ },
  ],
  [
    "refuses a version without changes",
    { changes: "## 1.2.30\n\n- new\n" },
    { calls: [], says: /^::error::CHANGELOG\.md has nothing below "## 1\.2\.3"\. Expected/ },
  ],
] as [
  string,
  { tag?: string; changes?: string; gh?: string },
  { calls: string[]; says?: RegExp },
][]) {
  test(`the release's step ${title}`, async (t) => {
    const programs = { bench: "echo 1.2.3", gh, git: "echo abc" };
    const { folder, env, text } = runner(t, programs);
    writeFileSync(join(folder, "CHANGELOG.md"), changes);
    const { code, stdout } = await run([".github/release"], {
      env: { ...env, GITHUB_REF_NAME: tag },
      cwd: folder,
    });
    assert.equal(code, expected.says ? 1 : 0, stdout);
    assert.match(stdout, expected.says ?? /^$/);
    const lines = text("calls").trim().split("\n");
    const calls = lines.filter((call) => call.startsWith("gh "));
    assert.deepEqual(
      calls.map((call, i) => call.slice(0, expected.calls[i]?.length)),
      expected.calls,
    );
    if (!expected.says) assert.equal(text("notes.md"), "\n- new\n\n### Sub\n\n- more\n\n");
  });
}

test("CHANGELOG begins with the version that ./bench has, in fewer than 150 lines", () => {
  const { version } = JSON.parse(read("services/bench/package.json"));
  const lines = read("CHANGELOG.md").split("\n");
  const [newest] = lines.filter((line) => /^## (?!Unreleased)/.test(line));
  assert.equal(newest, `## ${version}`);
  assert.ok(lines.length < 150, `${lines.length} lines`);
});
