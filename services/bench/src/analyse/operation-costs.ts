/**
 * CPU time per message and per handshake, where more is known than CPU time per connection.
 *
 * A connection costs its handshake, its messages and its close, together. Between settings of one
 * run that differ in messages alone, the slope of that over the messages per connection is
 * the cost of one message; a connection less its messages is handshake and close. Each is taken
 * within a round, from the cells of one proxy, so that medians, intervals and tests over rounds are
 * those of any other measure.
 *
 * Of connections that are held no slope is needed: their handshake is outside of the measured phase
 * (measures.ts).
 */
import { connectionsInAll, sizeNames, without } from "../plan/workload.ts";
import type { JudgedCell, Setting } from "../model/comparison.ts";

export const PER_CONNECTION = "cpu_us_per_connection";
const PER_MESSAGE = "cpu_us_per_message";
export const PER_HANDSHAKE = "cpu_us_per_handshake";

/** a setting, before it is compared */
type Loaded = Pick<Setting, "key" | "scenario" | "scheme" | "parameters" | "workload">;

/** settings whose CPU time per connection a figure is derived from */
interface Sources {
  /** where the figure stands */
  of: Loaded;
  /** with the fewest messages per connection */
  fewer: Loaded;
  /** with more, and all else as in `fewer` */
  more: Loaded;
}

/**
 * @param all of the run
 * @returns null: the measure is not derived there
 */
export function sourcesOf(setting: Loaded, measure: string, all: Loaded[]): Sources | null {
  if (!opensInPhase(setting)) return null;
  if (measure === PER_MESSAGE) {
    const [fewer] = alikeButMessages(setting, all);
    return fewer && messagesOf(fewer) < messagesOf(setting)
      ? { of: setting, fewer, more: setting }
      : null;
  }
  return measure === PER_HANDSHAKE ? handshakeSources(setting, all) : null;
}

/**
 * A handshake's cost comes from the fewest messages, where least is subtracted. What a message
 * costs may be from another number of connections, where this one ran with one number of messages
 * alone.
 */
function handshakeSources(setting: Loaded, all: Loaded[]): Sources | null {
  const family = all
    .filter((other) => sizelessKey(other) === sizelessKey(setting))
    .toSorted((a, b) => connectionsInAll(b.workload) - connectionsInAll(a.workload));
  const [own] = [setting, ...family].flatMap((one) => {
    const alike = alikeButMessages(one, all);
    const [fewer, more] = [alike[0], alike[alike.length - 1]];
    return messagesOf(fewer) < messagesOf(more) ? [{ fewer, more }] : [];
  });
  return own && messagesOf(setting) <= messagesOf(own.fewer) ? { of: setting, ...own } : null;
}

/**
 * @param settings of the run
 * @returns with these costs among the measures of those that count, and whose round has what they
 *   are derived from
 */
export function withOperationCosts(settings: Loaded[], cells: JudgedCell[]): JudgedCell[] {
  const known = new Map(
    cells
      .filter(({ counted, measures }) => counted && PER_CONNECTION in measures)
      .map((cell) => [cellKey(cell.setting, cell), cell.measures[PER_CONNECTION]]),
  );
  const derived = settings.flatMap((setting) =>
    [PER_MESSAGE, PER_HANDSHAKE].flatMap((measure) => {
      const sources = sourcesOf(setting, measure, settings);
      return sources ? [{ measure, sources }] : [];
    }),
  );
  return cells.map((cell) => {
    if (!cell.counted) return cell;
    const costs = derived
      .filter(({ sources }) => sources.of.key === cell.setting)
      .flatMap(({ measure, sources }) => {
        const { of, fewer, more } = sources;
        const [own, low, high] = [of, fewer, more].map(
          ({ key }) => known.get(cellKey(key, cell)) ?? NaN,
        );
        const slope = (high - low) / (messagesOf(more) - messagesOf(fewer));
        const value = measure === PER_MESSAGE ? slope : own - messagesOf(of) * slope;
        return Number.isFinite(value) ? [[measure, value]] : [];
      });
    return { ...cell, measures: { ...cell.measures, ...Object.fromEntries(costs) } };
  });
}

/** @returns it, and those that differ from it in messages alone; those with the fewest first */
function alikeButMessages(setting: Loaded, all: Loaded[]): Loaded[] {
  const key = (one: Loaded) => keyWithout(one, [messagesName(one)]);
  return all
    .filter((other) => key(other) === key(setting))
    .toSorted((a, b) => messagesOf(a) - messagesOf(b));
}

function sizelessKey(setting: Loaded) {
  return keyWithout(setting, [messagesName(setting), ...sizeNames(setting.workload)]);
}

/** @param names of parameters that are left out */
function keyWithout({ scenario, scheme, parameters }: Loaded, names: (string | undefined)[]) {
  return JSON.stringify([scenario, scheme, Object.entries(without(parameters, names)).sort()]);
}

function messagesName({ workload: { parameterNames } }: Pick<Loaded, "workload">) {
  return parameterNames.messages;
}

/** @returns a connection */
function messagesOf({ workload: { messages = 1 } }: Pick<Loaded, "workload">): number {
  return messages;
}

/** @returns handshakes are in the measured phase */
function opensInPhase({
  workload: { protocol, holdsConnections },
}: Pick<Loaded, "workload">): boolean {
  return protocol === "websocket" && !holdsConnections;
}

/**
 * @param setting its key
 * @param cell whose proxy and round are meant
 */
function cellKey(setting: string, { record: { proxy, round } }: Pick<JudgedCell, "record">) {
  return JSON.stringify([setting, proxy, round]);
}
