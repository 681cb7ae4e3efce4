/** One observation: its values by name, whether it is positive, and its weight. */
export interface Sample<T> {
  readonly values: T;
  readonly positive: boolean;
  readonly weight: number;
}

/** Penalty on the squared weights of standardized values, beside a total sample weight of thousands. */
const ridge = 3;
/** The same for the constant: none, but for a system that can be solved. */
const constantRidge = 1e-6;
const maxSteps = 25;

/** Fits a logistic regression by Newton's method. Returns the weights of the values as they are, and the constant. */
export function fitLogistic<T extends { readonly [K in keyof T]: number }>(
  samples: readonly Sample<T>[],
  names: readonly (keyof T & string)[],
): Readonly<Record<string, number>> {
  const scales = names.map((name) => scaleOf(samples.map(({ values }) => values[name])));
  const rows = samples.map(({ values }) => [
    1,
    ...names.map((name, at) => (values[name] - (scales[at]?.mean ?? 0)) / (scales[at]?.deviation ?? 1)),
  ]);
  let weights = new Array<number>(names.length + 1).fill(0);
  for (let step = 0; step < maxSteps; step += 1) {
    const change = newtonStep(rows, samples, weights);
    weights = weights.map((weight, at) => weight + (change[at] ?? 0));
    if (Math.max(...change.map(Math.abs)) < 1e-6) break;
  }
  const fitted: Record<string, number> = { constant: weights[0] ?? 0 };
  for (const [at, name] of names.entries()) {
    const { mean, deviation } = scales[at] ?? { mean: 0, deviation: 1 };
    fitted[name] = (weights[at + 1] ?? 0) / deviation;
    fitted["constant"] = (fitted["constant"] ?? 0) - fitted[name] * mean;
  }
  return fitted;
}

function scaleOf(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

function newtonStep(
  rows: readonly (readonly number[])[],
  samples: readonly Sample<unknown>[],
  weights: readonly number[],
): readonly number[] {
  const size = weights.length;
  const slope = weights.map((weight, at) => -penalty(at) * weight);
  const curve = weights.map((_, at) => weights.map((__, other) => (at === other ? penalty(at) : 0)));
  for (const [index, row] of rows.entries()) {
    const { positive, weight } = samples[index] ?? { positive: false, weight: 0 };
    const odds = row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
    const probability = 1 / (1 + Math.exp(-odds));
    const error = weight * ((positive ? 1 : 0) - probability);
    const spread = weight * probability * (1 - probability);
    for (let at = 0; at < size; at += 1) {
      const value = row[at] ?? 0;
      slope[at] = (slope[at] ?? 0) + error * value;
      const line = curve[at] ?? [];
      for (let other = 0; other < size; other += 1) {
        line[other] = (line[other] ?? 0) + spread * value * (row[other] ?? 0);
      }
    }
  }
  return solve(curve, slope);
}

const penalty = (at: number): number => (at === 0 ? constantRidge : ridge);

/** Solves a positive definite system by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((line, at) => [...line, right[at] ?? 0]);
  const size = rows.length;
  for (const [at, pivot] of rows.entries()) {
    for (const [below, row] of rows.entries()) {
      if (below === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = at; column <= size; column += 1) {
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
      }
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}
