import type { BenchQuery, DataSet } from "./data-set.ts";
import type { Ranker } from "./rankers.ts";

/** The tasks of one language that have the same form, or the same kind where they have none. */
export interface KindFigures {
  readonly lang: string;
  readonly kind: string;
  readonly queries: number;
  /** Share of the tasks with the right lesson among the first three. */
  readonly "R@3": number;
  /** Ids of the others. */
  readonly missed: readonly string[];
}

/** Measures a set whose queries say what they have in common with their lessons: one row per language and kind. */
export async function measureByKind(set: DataSet, ranker: Ranker): Promise<readonly KindFigures[]> {
  await ranker.add(set.documents);
  const groups = new Map<string, { hits: number; queries: number; missed: string[] }>();
  for (const query of set.queries) {
    const key = `${query.lang} ${query.form || query.kind}`;
    const group = groups.get(key) ?? { hits: 0, queries: 0, missed: [] };
    groups.set(key, group);
    group.queries += 1;
    if (await isFound(ranker, query)) group.hits += 1;
    else group.missed.push(query.id);
  }
  return [...groups]
    .map(([key, { hits, queries, missed }]) => {
      const [lang = "", kind = ""] = key.split(" ");
      return { lang, kind, queries, "R@3": hits / queries, missed };
    })
    .toSorted((a, b) => (`${a.lang} ${a.kind}` < `${b.lang} ${b.kind}` ? -1 : 1));
}

async function isFound(ranker: Ranker, query: BenchQuery): Promise<boolean> {
  const ranked = await ranker.rank(query, new Date("2030-01-01T00:00:00Z"));
  return ranked.slice(0, 3).some((id) => query.relevant.has(id));
}

export function kindLines(figures: readonly KindFigures[]): readonly string[] {
  return [
    "\n| language | kind or form | R@3 | tasks | missed |",
    "|---|---|---|---|---|",
    ...figures.map(
      ({ lang, kind, queries, missed, "R@3": r3 }) =>
        `| ${lang} | ${kind} | ${r3.toFixed(3)} | ${queries} | ${missed.join(", ")} |`,
    ),
  ];
}
