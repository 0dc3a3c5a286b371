/** @returns all ways to choose this many of the numbers below */
export function subsets(of: number, size: number): number[][] {
  if (size === 0) return [[]];
  if (of < size) return [];
  return [
    ...subsets(of - 1, size),
    ...subsets(of - 1, size - 1).map((chosen) => [...chosen, of - 1]),
  ];
}
