/**
 * Cloud Party's test of 2013: REQUESTS for a file of FILE_BYTES by ApacheBench, CONCURRENCY at a
 * time, a new connection each; over HTTPS with a full TLS handshake each. It is a closed loop: a
 * slow server gets fewer requests. ab has one thread; THREADS of them share the requests, so that
 * a fast server does not wait for it.
 *
 * ab verifies no certificate: the runner of battles does before it, and so does the first request
 * here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mergeAb, readAb, readStatuses } from "./lib/ab.mjs";
import { fileContent } from "./lib/content.mjs";
import { printHttpSummary } from "./lib/http-summary.mjs";
import { edge, get, main, output, readPolicy, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { inScratch, opensslConfig } from "./lib/openssl.mjs";

/** @typedef {import("./lib/node.mjs").TlsPolicy} TlsPolicy */

/** At most this many are sent again to learn which statuses came. */
const STATUS_REQUESTS = 500;

await main(async () => {
  const scenario = scenarioOf("files");
  const { REQUESTS, CONCURRENCY, FILE_BYTES, THREADS } = scenario.parameters;
  await waitForTarget(scenario);
  await assertContent(`${scenario.origin}/files/${FILE_BYTES}`, FILE_BYTES);
  const policy = scenario.scheme === "wss" ? readPolicy() : null;
  await inScratch(async (folder) => {
    const env = policy ? opensslConfig(policy, join(folder, "openssl.cnf")) : {};
    await edge("start");
    const parts = await Promise.all(
      Array.from({ length: THREADS }, async (_, i) => {
        const csv = join(folder, `percentiles-${i}.csv`);
        const share = {
          REQUESTS: part(REQUESTS, i, THREADS),
          CONCURRENCY: part(CONCURRENCY, i, THREADS),
        };
        const stdout = await ab(scenario, share, ["-e", csv], env);
        return readAb(stdout, readFileSync(csv, "utf8"), FILE_BYTES);
      }),
    );
    await edge("end");
    const run = mergeAb(parts);
    if (run.non2xx > 0) {
      const again = Math.max(CONCURRENCY, Math.min(REQUESTS, STATUS_REQUESTS));
      const share = { REQUESTS: again, CONCURRENCY };
      run.statuses = readStatuses(await ab(scenario, share, ["-v", "2"], env));
    }
    if (policy) for (const { tls } of parts) assertPolicy(tls, policy);
    printHttpSummary(
      `${REQUESTS} requests for ${FILE_BYTES} bytes, ${CONCURRENCY} at a time, a connection each`,
      scenario,
      run,
      {
        tls: parts[0].tls,
        notes: ["request: from before its connection; mean with what ab takes between two"],
      },
    );
  });
});

/**
 * @param {number} whole
 * @param {number} index from 0
 * @param {number} count
 * @returns {number} its part, of parts that differ by one at most
 */
function part(whole, index, count) {
  return Math.floor(whole / count) + (index < whole % count ? 1 : 0);
}

/**
 * @param {import("./lib/node.mjs").Scenario} scenario
 * @param {{REQUESTS: number, CONCURRENCY: number}} share of them that is its own
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function ab({ origin, parameters }, { REQUESTS, CONCURRENCY }, args, env) {
  const { FILE_BYTES, TIMEOUT_SECONDS } = parameters;
  // -r: a connection that breaks is counted, and does not end the load.
  const common = [
    "-q",
    "-r",
    "-n",
    `${REQUESTS}`,
    "-c",
    `${CONCURRENCY}`,
    "-s",
    `${TIMEOUT_SECONDS}`,
  ];
  return output("ab", [...common, ...args, `${origin}/files/${FILE_BYTES}`], env);
}

/**
 * ab itself compares lengths alone.
 *
 * @param {string} url
 * @param {number} bytes
 */
async function assertContent(url, bytes) {
  const { status, body } = await get(url);
  if (status !== 200) throw new Error(`${url} answered ${status}, expected 200`);
  if (!body.equals(fileContent(bytes)))
    throw new Error(
      `${url} answered ${body.length} bytes that are not the file: expected ${bytes} of "Hello world", again and again`,
    );
}

/**
 * @param {ReturnType<typeof readAb>["tls"]} tls
 * @param {TlsPolicy} policy
 */
function assertPolicy(tls, { maxVersion, cipherSuitesTls13, groups }) {
  if (
    tls?.version === maxVersion &&
    cipherSuitesTls13.includes(tls.cipher) &&
    groups.includes(tls.group)
  )
    return;
  const came = tls ? `${tls.version}, ${tls.cipher}, ${tls.group}` : "no TLS";
  throw new Error(
    `ab negotiated ${came}; expected the policy's ${maxVersion}, ${cipherSuitesTls13.join(" or ")}, ${groups.join(" or ")}`,
  );
}
