/**
 * `list`: every name that the command line takes, in 80 columns. ./bench shows it from
 * services/bench/host/list.txt on a machine that has no image of this program yet (npm run
 * generate).
 */
import { join } from "node:path";
import { counted } from "../numbers.ts";
import { battleNames, readBattle } from "../plan/battle.ts";
import { estimateSeconds, formatDuration } from "../plan/estimate.ts";
import { EVENTS } from "../plan/events.ts";
import { readNetwork, readReferenceShare } from "../plan/knobs.ts";
import { makePlan } from "../plan/plan.ts";
import { CONTROL, groupsOf, readProxies } from "../plan/proxies.ts";
import { columnsText } from "../report/columns.ts";

const WIDTH = 80;
/** Longer lists of proxies are counted. */
const MOST_NAMED = 10;

/** @param directory the project's */
export function listText(directory: string): string {
  const proxies = readProxies(join(directory, "proxies"));
  const known = {
    proxies,
    referenceShare: readReferenceShare(directory),
    network: readNetwork(directory),
  };
  const all = battleNames(directory).map((name) => readBattle(directory, name, { proxies }));
  const battles = all.map((battle) => {
    const plan = makePlan(battle, {}, known);
    const seconds = estimateSeconds(plan);
    const measured = plan.proxies.filter((proxy) => proxy !== CONTROL);
    const named = [battle.proxies].flat().join(", ");
    return [
      battle.name,
      formatDuration(seconds),
      named.length <= MOST_NAMED ? named : counted(measured.length, "proxy", "proxies"),
      battle.title,
    ];
  });
  const events = Object.entries(EVENTS).map(([name, { what }]) => {
    const own = all.filter(({ tests }) => tests.some((test) => test.events.includes(name)));
    return [name, own.map((battle) => battle.name).join(", "), what];
  });
  return [
    "Battles, for ./bench run NAME",
    ...columnsText([["NAME", "TIME", "PROXIES", "TITLE"], ...battles], WIDTH),
    "",
    "Proxies, for --proxies NAME,GROUP",
    ...columnsText(
      [
        ["NAME", "TITLE", "GROUPS"],
        ...proxies.map((proxy) => [proxy.name, proxy.title, groupsOf(proxy).join(", ")]),
      ],
      WIDTH,
    ),
    "",
    "Events, for ./bench run BATTLE --event NAME",
    ...columnsText([["NAME", "BATTLES", "WHAT HAPPENS"], ...events], WIDTH),
  ].join("\n");
}
