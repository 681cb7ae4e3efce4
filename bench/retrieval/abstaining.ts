import type { DocumentSource } from "../../src/search/document.ts";
import { thresholds } from "../../src/search/fit-probability.ts";
import type { SearchQuery } from "../../src/search/query.ts";
import { type SearchResult, search } from "../../src/search/search.ts";
import type { Db } from "../../src/store/port/db.ts";
import { type BenchQuery, type DataSet, sourceOf } from "./data-set.ts";

export interface Abstaining {
  /** Share of other sets' queries that get nothing here. */
  readonly foreign: number;
  /** R@3 that the set's own queries lose by abstaining. */
  readonly lostR3: number;
  /** Share of own queries that get nothing, as they are and with their relevant documents taken away. */
  readonly own: number;
  readonly ownWithoutAnswer: number;
  /** The figures of other thresholds; exact evidence shows at any. */
  readonly curve: readonly {
    readonly threshold: number;
    readonly foreign: number;
    readonly lostR3: number;
    readonly ownWithoutAnswer: number;
  }[];
}

const tried = [0.05, 0.1, 0.15, thresholds.subject, 0.22, 0.3, 0.4, 0.5];

interface Asked {
  /** Probability that anything fits; 1 with exact evidence. */
  readonly probability: number;
  /** R@3 of the ranking, before any document is left out. */
  readonly r3: number;
}

/** `db` holds all of the set's documents; `foreign` are other sets' queries. */
export async function measureAbstaining(
  db: Db,
  set: DataSet,
  foreign: readonly SearchQuery[],
): Promise<Abstaining> {
  const scopes = [...new Set(set.documents.map(({ scope }) => scope))];
  const whole = sourceOf(set.documents);
  const now = new Date("2030-01-01T00:00:00Z");
  const ask = (query: SearchQuery, scope: string, without: readonly string[]): Promise<SearchResult> => {
    const read: DocumentSource["read"] = (q, ids) =>
      whole.read(
        q,
        ids.filter((id) => !without.includes(id)),
      );
    const narrowed = set.scoped ? { scopes: [scope] } : {};
    return search(db, { query, sources: [{ ...whole, read }], limit: 0, now, ...narrowed });
  };
  const own: Asked[] = [];
  const taken: Asked[] = [];
  for (const query of set.queries) {
    own.push(asked(await ask(query.query, query.scope, [query.id]), query));
    taken.push(asked(await ask(query.query, query.scope, [query.id, ...query.relevant.keys()]), query));
  }
  const others: Asked[] = [];
  for (const [at, query] of foreign.entries()) {
    others.push(asked(await ask(query, scopes[at % scopes.length] ?? "", [])));
  }
  const share = (all: readonly Asked[], test: (one: Asked) => boolean): number =>
    all.length === 0 ? Number.NaN : all.filter(test).length / all.length;
  const lost = (test: (one: Asked) => boolean): number =>
    own.reduce((sum, one) => sum + (test(one) ? one.r3 : 0), 0) / own.length;
  const silent = ({ probability }: Asked): boolean => probability < thresholds.subject;
  return {
    foreign: share(others, silent),
    lostR3: lost(silent),
    own: share(own, silent),
    ownWithoutAnswer: share(taken, silent),
    curve: tried.map((threshold) => {
      const below = ({ probability }: Asked): boolean => probability < threshold;
      return {
        threshold,
        foreign: share(others, below),
        lostR3: lost(below),
        ownWithoutAnswer: share(taken, below),
      };
    }),
  };
}

function asked({ probability, hits, silenced }: SearchResult, query?: BenchQuery): Asked {
  const relevant = query?.relevant;
  const hasExact = hits.some(({ fit }) => fit?.exact);
  const first = [...hits, ...silenced].toSorted((a, b) => b.score - a.score).slice(0, 3);
  const r3 = relevant ? first.filter(({ document }) => relevant.has(document.id)).length / relevant.size : 0;
  return { probability: hasExact ? 1 : probability, r3 };
}
