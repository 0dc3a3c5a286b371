/**
 * A run's points in InfluxDB: while it runs, and whole when its cells have ended.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judge } from "../analyse/index.ts";
import { versionsOf } from "../analyse/versions.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { POINT_WORDS } from "../report/point-words.ts";
import { DATABASE, Publisher } from "../series/publisher.ts";
import { republish } from "../series/republish.ts";
import { compareWithLatest } from "./compare.ts";
import type { Listener } from "../model/run-event.ts";
import type { Store } from "../record/store.ts";
import type { Follower } from "../run/testbed.ts";

/** A write beside the load waits so long for its answer, and is tried again with the next. */
const WRITE_LIMIT_MS = 2000;

/**
 * @param options directory: the project's; project: name of the Compose project; tell: who else
 *   listens
 */
export function runPoints(
  store: Store,
  { directory, project, tell }: { directory: string; project: string; tell: Listener },
): Follower {
  const { results } = store;
  const note = (text: string) => tell({ type: "note", text });
  const policy = JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8"));
  const publisher = new Publisher({
    influx: new Influx(INFLUXDB_URL, { timeoutMs: WRITE_LIMIT_MS }),
    run: results.run.name,
    cellPath: (id, attempt) => store.cellPath(id, attempt),
    judge: (record) => judge({ ...results, cells: [record] }, policy)[0],
    tell: POINT_WORDS.flag,
    versionOf: (proxy) => versionsOf(results, [proxy]).join(),
    note,
  });
  return {
    tell(event) {
      tell(event);
      publisher.listen(event);
    },
    // The volume may be older than this database.
    begin: (influx) => influx.createDatabase(DATABASE),
    end: async (influx, { failed, untried }) => {
      await publisher.close();
      try {
        const { notes } = await republish(store, influx, {
          directory,
          words: POINT_WORDS,
          project,
        });
        for (const text of notes) note(text);
        const compared =
          failed + untried === 0 && (await compareWithLatest(directory, store, influx));
        if (compared) note(compared);
      } catch (error) {
        // The report does not rest on it, and ./bench export writes it again.
        note(
          `not all of the run is in InfluxDB: ${error instanceof Error ? error.message : error}`,
        );
      }
    },
    close: () => publisher.close(),
  };
}
