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
  const of = ({ hits, n }: typeof a): Estimate => ({ value: hits / n, ...wilson(hits, n, quantile) });
  return difference(of(a), of(b));
}

/** As `newcombe`, of `n / hits`: the attempts for each success. Both need a success. */
export function attemptsDifference(
  a: { readonly hits: number; readonly n: number },
  b: { readonly hits: number; readonly n: number },
  quantile: number = z,
): Interval {
  const of = ({ hits, n }: typeof a): Estimate => {
    const { low, high } = wilson(hits, n, quantile);
    return { value: n / hits, low: 1 / high, high: 1 / low };
  };
  return difference(of(a), of(b));
}

interface Estimate extends Interval {
  readonly value: number;
}

function difference(a: Estimate, b: Estimate): Interval {
  return {
    low: a.value - b.value - Math.hypot(a.value - a.low, b.high - b.value),
    high: a.value - b.value + Math.hypot(a.high - a.value, b.value - b.low),
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
