import { expect, test } from "vitest";
import { benchmarkHere as run } from "./run-benchmark.ts";

test("IF-4: the retrieval benchmark prints its figures beside BM25 and tag overlap, per set", async () => {
  const printed = await run("bench/retrieval.ts", "bench/retrieval/sample", "--abstain", "--json");
  const reports = JSON.parse(printed) as readonly Record<string, Record<string, number>>[];
  expect(reports.map(({ set, queries }) => [set, queries])).toEqual([
    ["other", 2],
    ["small", 3],
    ["talk", 1],
  ]);
  const names = ["R@3", "R@5", "R@10", "nDCG@10", "MRR", "R@1500ch", "p50", "p99", "standardError"];
  for (const { ralph, bm25, seed, abstain } of reports.slice(0, 2)) {
    for (const figures of [ralph, bm25, seed]) {
      for (const name of names) expect(figures?.[name]).toBeGreaterThanOrEqual(0);
    }
    expect(ralph?.["R@3"]).toBe(1);
    expect(ralph?.["MRR"]).toBe(1);
    expect(abstain).toMatchObject({ foreign: 1, lostR3: 0 });
  }
  const [, , talk] = reports;
  expect(talk?.["ralph"]?.["MRR"]).toBeLessThan(0.5);
  expect(talk?.["ralphWithNeighbours"]?.["MRR"]).toBe(0.5);
  expect(reports[0]?.["ralphWithNeighbours"]).toBeUndefined();
  const table = await run("bench/retrieval.ts", "bench/retrieval/sample", "--set", "small");
  expect(table).toContain("| ralph, last hour hidden | 1.000 |");
  expect(table).not.toContain("### other");
});

interface Kind {
  readonly lang: string;
  readonly kind: string;
  readonly queries: number;
  readonly "R@3": number;
}

test("IF-4, LEARN-4: nine of ten inflected, compounded and short tasks find their lesson", async () => {
  const printed = await run("bench/retrieval.ts", "bench/own", "--set", "tune", "--json");
  const [report] = JSON.parse(printed) as readonly [{ readonly byKind: readonly Kind[] }];
  for (const lang of ["de", "zh", "ja", "es"]) {
    const rows = report.byKind.filter(
      (row) => row.lang === lang && /inflected|compound|short/.test(row.kind),
    );
    const queries = rows.reduce((sum, row) => sum + row.queries, 0);
    expect(queries).toBeGreaterThan(10);
    expect(rows.reduce((sum, row) => sum + row.queries * row["R@3"], 0) / queries).toBeGreaterThanOrEqual(
      0.9,
    );
  }
});

test("LEARN-11: the silence benchmark prints false and foreign silence, lines and golds per condition", async () => {
  const printed = await run("bench/silence.ts", "bench/retrieval/sample", "--sizes", "3", "--json");
  const { conditions, average } = JSON.parse(printed);
  expect(conditions).toHaveLength(4);
  expect(average).toMatchObject({ falseSilence: 0, foreignSilence: 1 });
  expect(average.goldsKept).toBeGreaterThan(0.8);
  for (const { size, lines, goldShare, bySet } of conditions) {
    expect([size, lines >= 1, goldShare > 0.5, "small" in bySet]).toEqual([3, true, true, true]);
  }
});
