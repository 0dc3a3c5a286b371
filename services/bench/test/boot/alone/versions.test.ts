/** Versions of a relay, one of which burns more CPU time. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { analyse } from "../../../src/analyse/index.ts";
import { Project } from "../../../src/platform/compose.ts";
import { check, run } from "../../../src/platform/subprocess.ts";
import { atEnd, uniqueName } from "../../lab.ts";
import { addVersionedRelay } from "../../relays.ts";
import { isQuiet, testbed } from "../../testbed.ts";
import type { TestContext } from "node:test";

/**
 * @param burns µs of CPU time of a connection, by version
 * @param directory a copy of the project, to which the relay is added
 */
async function addRelay(t: TestContext, directory: string, burns: Record<string, string>) {
  const { services } = await new Project(directory, { profile: "haproxy" }).config();
  const repository = `${uniqueName()}/relay`;
  for (const [version, burn] of Object.entries(burns)) {
    const folder = mkdtempSync(join(tmpdir(), "relay-"));
    const lines = `FROM ${services.haproxy.image}\nENV BURN_US=${burn}\n`;
    writeFileSync(join(folder, "Dockerfile"), lines);
    const image = `${repository}:${version}`;
    await check(["docker", "build", "--quiet", "--tag", image, folder]);
    atEnd(t, () => run(["docker", "image", "rm", "--force", image]));
  }
  addVersionedRelay(directory, "relay", `${repository}:${Object.keys(burns)[0]}`);
}

const BATTLE = `title: Releases of a relay
proxies: [relay]
versions: { relay: ["1.0", "1.1", "1.2"] }
rounds: 3
seed: 1
tests:
  - scenario: short-lived
    schemes: [ws]
    control: false
    parameters: { CONNECTIONS: 400, CONCURRENCY: 20, MESSAGES: 1 }
`;

test("a battle of versions: what each costs, and why one is not measured", async (t) => {
  const bed = testbed(t, BATTLE);
  await addRelay(t, bed.directory, { "1.0": "500", "1.1": "nothing", "1.2": "1000" });
  const { code, output } = await bed.bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await bed.assertNothingLeft();
  const results = bed.results();
  const skips = new Map(results.plan.cells.map(({ proxy, skip }) => [proxy, skip]));
  assert.match(skips.get("relay-1.1") ?? "", /waited 20 s .*burn\.lua/);
  assert.equal(skips.get("relay-1.0"), null);
  const measured = results.cells.filter(({ status }) => status === "ok");
  const images = measured.map(({ proxy, containers }) => containers[proxy].image);
  assert.equal(new Set(images).size, 2, images.join());
  if (!isQuiet(results)) return t.skip("other programs disturbed it");
  const { comparisons } = analyse(results, { policy: null }).comparisons;
  const [{ proxy, estimate }, ...others] =
    comparisons.find(({ question }) => question === "releases")?.figures ?? [];
  assert.deepEqual([proxy, others], ["relay-1.2", []]);
  assert.ok(estimate && estimate.value > 1.2, `${estimate?.value}`);
});
