/** An interval of the level that was asked for. */
export type Interval = [low: number, high: number];

export interface Estimate {
  value: number;
  /** null: too few values for that level. */
  interval: Interval | null;
}
