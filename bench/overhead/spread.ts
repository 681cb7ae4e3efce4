/** Milliseconds. */
export interface Spread {
  readonly median: number;
  readonly p90: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { median: at(0.5), p90: at(0.9), max: sorted.at(-1) ?? Number.NaN };
}
