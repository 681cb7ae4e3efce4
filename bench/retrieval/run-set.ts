import type { SearchDocument } from "../../src/search/document.ts";
import type { BenchQuery, DataSet } from "./data-set.ts";
import { type Metrics, mean, measure } from "./metrics.ts";
import type { Ranker } from "./rankers.ts";

export interface Figures extends Metrics {
  /** Milliseconds of a query, from its text to the ranking. */
  readonly p50: number;
  readonly p99: number;
  readonly queries: number;
  /** The standard error of R@3, from how the queries differ: sets apart by less may be alike. */
  readonly standardError: number;
}

interface RunOptions {
  /** Documents younger than this at a query's time are not there yet, and are not asked for. Milliseconds. */
  readonly hideNewest?: number;
}

/**
 * Asks every query of what was there at its time: in a set with times, documents and queries go by in their order,
 * as they would in a project.
 */
export async function runSet(
  set: DataSet,
  ranker: Ranker,
  { hideNewest = 0 }: RunOptions = {},
): Promise<Figures> {
  const byId = new Map(set.documents.map((document) => [document.id, document]));
  const results: Metrics[] = [];
  const times: number[] = [];
  let at = 0;
  for (const query of set.queries) {
    const until = set.timed
      ? at + countBefore(set.documents.slice(at), query.createdAt, hideNewest)
      : set.documents.length;
    if (until > at) await ranker.add(set.documents.slice(at, until));
    at = until;
    const there = new Set(set.documents.slice(0, until).map(({ id }) => id));
    const relevant = hideNewest > 0 ? only(query.relevant, there) : query.relevant;
    if (relevant.size === 0) continue;
    const started = performance.now();
    const ranked = await ranker.rank(query, nowOf(set, query));
    times.push(performance.now() - started);
    const shown = ranked.filter((id) => id !== query.id).flatMap((id) => byId.get(id) ?? []);
    results.push(measure(shown, relevant));
  }
  const sorted = times.toSorted((a, b) => a - b);
  const timeAt = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    ...mean(results),
    p50: timeAt(0.5),
    p99: timeAt(0.99),
    queries: results.length,
    standardError: errorOf(results.map((one) => one["R@3"])),
  };
}

function errorOf(values: readonly number[]): number {
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1) / values.length);
}

/** Without times of its own a set is looked at from after its end. */
function nowOf(set: DataSet, query: BenchQuery): Date {
  return set.timed ? new Date(query.createdAt) : new Date("2030-01-01T00:00:00Z");
}

function countBefore(documents: readonly SearchDocument[], time: string, hideNewest: number): number {
  const end = Date.parse(time) - hideNewest;
  const first = documents.findIndex(({ createdAt }) => Date.parse(createdAt) >= end);
  return first < 0 ? documents.length : first;
}

function only(
  relevant: ReadonlyMap<string, number>,
  there: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  return new Map([...relevant].filter(([id]) => there.has(id)));
}
