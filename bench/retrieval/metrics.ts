export const metricNames = ["R@3", "R@5", "R@10", "nDCG@10", "MRR", "R@1500ch", "R@1500ch/140"] as const;
type MetricName = (typeof metricNames)[number];
export type Metrics = Readonly<Record<MetricName, number>>;

const budget = 1500;

export interface Shown {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** The figures of one query's ranking. */
export function measure(ranked: readonly Shown[], relevant: ReadonlyMap<string, number>): Metrics {
  const ids = ranked.map(({ id }) => id);
  const recall = (found: readonly string[]): number =>
    found.filter((id) => relevant.has(id)).length / relevant.size;
  const first = ids.findIndex((id) => relevant.has(id));
  return {
    "R@3": recall(ids.slice(0, 3)),
    "R@5": recall(ids.slice(0, 5)),
    "R@10": recall(ids.slice(0, 10)),
    "nDCG@10": gain(ids.slice(0, 10), relevant),
    MRR: first < 0 ? 0 : 1 / (first + 1),
    "R@1500ch": recall(fitting(ranked, 280)),
    "R@1500ch/140": recall(fitting(ranked, 140)),
  };
}

function gain(ids: readonly string[], relevant: ReadonlyMap<string, number>): number {
  const dcg = (grades: readonly number[]): number =>
    grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const ideal = [...relevant.values()].toSorted((a, b) => b - a).slice(0, 10);
  return dcg(ids.map((id) => relevant.get(id) ?? 0)) / dcg(ideal);
}

/** In rank order while they fit: each its title and the start of its text. */
function fitting(ranked: readonly Shown[], snippet: number): readonly string[] {
  const shown: string[] = [];
  let room = budget;
  for (const { id, title, body } of ranked) {
    room -= title.length + Math.min(body.length, snippet);
    if (room < 0) break;
    shown.push(id);
  }
  return shown;
}

export function mean(all: readonly Metrics[]): Metrics {
  const of = (name: MetricName): number => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return Object.fromEntries(metricNames.map((name) => [name, of(name)])) as unknown as Metrics;
}
