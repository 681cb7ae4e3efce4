export interface Times {
  /** Milliseconds; `cpu` on average. */
  readonly p50: number;
  readonly p99: number;
  readonly first: number;
  readonly cpu: number;
}

/** `work` so many times, one after another. */
export async function timed(wanted: number, work: (round: number) => Promise<void>): Promise<Times> {
  // --short: does it run at all; its figures are worth nothing.
  const rounds = Math.min(wanted, process.argv.includes("--short") ? 5 : Number.POSITIVE_INFINITY);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work(round);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(rounds * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), first: times[0] ?? Number.NaN, cpu: (user + system) / 1000 / rounds };
}
