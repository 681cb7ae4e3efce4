/** The two-sided 95% quantile of the normal distribution. */
const z = 1.959964;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Returns Wilson's score interval of `hits` in `n`, of 95% unless another quantile is given. */
export function wilson(hits: number, n: number, quantile: number = z): Interval {
  const p = hits / n;
  const square = quantile * quantile;
  const centre = (p + square / (2 * n)) / (1 + square / n);
  const half = (quantile / (1 + square / n)) * Math.sqrt((p * (1 - p)) / n + square / (4 * n * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Returns Newcombe's 95% hybrid score interval of the difference `a − b` of two independent shares: method 10 of
 * R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17
 * (1998), 873–890.
 */
export function newcombe(
  a: { readonly hits: number; readonly n: number },
  b: { readonly hits: number; readonly n: number },
  quantile: number = z,
): Interval {
  const [pa, pb] = [a.hits / a.n, b.hits / b.n];
  const [ia, ib] = [wilson(a.hits, a.n, quantile), wilson(b.hits, b.n, quantile)];
  return {
    low: pa - pb - Math.hypot(pa - ia.low, ib.high - pb),
    high: pa - pb + Math.hypot(ia.high - pa, pb - ib.low),
  };
}

/** The information, 1 / variance, at which `anytimeQuantile` is narrowest: about 20 attempts held out of 200. */
const expectedInformation = 70;
const alpha = 0.05;

/**
 * Returns the quantile with which an interval of a difference of two shares covers it 95% of the time however often a person looks while
 * attempts are added: that of the asymptotic confidence sequence of I. Waudby-Smith et al., "Time-uniform central limit theory and
 * asymptotic confidence sequences", Annals of Statistics 52 (2024), equation 2.
 */
export function anytimeQuantile(
  a: { readonly hits: number; readonly n: number },
  b: { readonly hits: number; readonly n: number },
): number {
  const variance = ({ hits, n }: typeof a): number => {
    const p = (hits + 1) / (n + 2);
    return (p * (1 - p)) / n;
  };
  const tuned = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / expectedInformation;
  const seen = tuned / (variance(a) + variance(b));
  return Math.sqrt((1 + 1 / seen) * (Math.log1p(seen) - 2 * Math.log(alpha)));
}

/** Returns a reproducible generator of numbers from 0 to 1 (mulberry32, public domain). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns the 95% percentile bootstrap interval of `figure` over `rounds` reproducible resamples of `clusters`, with
 * replacement. Null when fewer than nine tenths of the samples have a figure.
 */
export function bootstrap<T>(
  clusters: readonly T[],
  figure: (sample: readonly T[]) => number | null,
  rounds = 2000,
): Interval | null {
  if (clusters.length === 0) return null;
  const draw = seeded(20260301);
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sample = clusters.map(() => clusters[Math.floor(draw() * clusters.length)] as T);
    const value = figure(sample);
    if (value !== null) figures.push(value);
  }
  if (figures.length < 0.9 * rounds) return null;
  figures.sort((a, b) => a - b);
  const at = (share: number): number => figures[Math.floor(share * (figures.length - 1))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}
