// npm run bench:retrieval -- DIR [--set NAME] [--abstain] [--json]: how well the product finds what its tasks need, on
// data sets in the layout of DIR/<set>/{docs,queries,qrels}.jsonl, meta.json; beside plain BM25 and the first design.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { type Abstaining, measureAbstaining } from "./retrieval/abstaining.ts";
import { type KindFigures, kindLines, measureByKind } from "./retrieval/by-kind.ts";
import { type DataSet, dataSets, withNeighbours } from "./retrieval/data-set.ts";
import { metricNames } from "./retrieval/metrics.ts";
import { overlapRanker, plainRanker, productRanker } from "./retrieval/rankers.ts";
import { type Figures, runSet } from "./retrieval/run-set.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string" },
    abstain: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  throw new Error("usage: npm run bench:retrieval -- DIR [--set NAME] [--abstain] [--json]");
}

interface Report {
  readonly set: string;
  readonly queries: number;
  readonly ralph: Figures;
  readonly bm25: Figures;
  readonly seed: Figures;
  /** Sets with times only: without recency; and with what is under an hour old hidden. */
  readonly ralphWithoutRecency?: Figures;
  readonly ralphWithoutLastHour?: Figures;
  /** Sets of turns only: each with the turns beside it as its context. */
  readonly ralphWithNeighbours?: Figures;
  readonly abstain?: Abstaining;
  /** Sets whose queries have a kind only. */
  readonly byKind?: readonly KindFigures[];
}

const hour = 3_600_000;

const all = dataSets(folder);
const chosen = values.set === undefined ? all : dataSets(folder, values.set);
const reports: Report[] = [];
for (const set of chosen) {
  const report = await reportOn(set);
  reports.push(report);
  if (!values.json) print(report);
}
if (values.json) console.log(JSON.stringify(reports));
else console.log(`\nload ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`);

async function reportOn(set: DataSet): Promise<Report> {
  const [ralph, bm25, seed] = [
    await inStore(async (db) => runSet(set, productRanker(db, set))),
    await inStore(async (db) => runSet(set, await plainRanker(db, set))),
    await runSet(set, overlapRanker(set)),
  ];
  const turns = withNeighbours(set);
  const beside = turns
    ? { ralphWithNeighbours: await inStore((db) => runSet(turns, productRanker(db, turns))) }
    : {};
  const byKind = set.queries.some(({ kind }) => kind !== "")
    ? { byKind: await inStore((db) => measureByKind(set, productRanker(db, set))) }
    : {};
  const report = {
    set: set.name,
    queries: ralph.queries,
    ralph,
    bm25,
    seed,
    ...beside,
    ...byKind,
  };
  const timed = set.timed
    ? {
        ralphWithoutRecency: await inStore((db) => runSet(set, productRanker(db, set, { recency: false }))),
        ralphWithoutLastHour: await inStore((db) =>
          runSet(set, productRanker(db, set), { hideNewest: hour }),
        ),
      }
    : {};
  if (!values.abstain) return { ...report, ...timed };
  const foreign = all.filter(({ name }) => name !== set.name).flatMap(({ queries }) => queries);
  const abstain = await inStore(async (db) => {
    await productRanker(db, set).add(set.documents);
    return measureAbstaining(
      db,
      set,
      foreign.map(({ query }) => query),
    );
  });
  return { ...report, ...timed, abstain };
}

/** A real store file of its own, gone afterwards. */
async function inStore<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "ralph-bench-"));
  try {
    const db = await openStore({ path: join(root, "progress.db") });
    return await work(db).finally(() => db.close());
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function print(report: Report): void {
  const row = (name: string, figures: Figures | undefined): string[] =>
    figures === undefined
      ? []
      : [
          `| ${name} | ${metricNames.map((metric) => figures[metric].toFixed(3)).join(" | ")} | ${figures.standardError.toFixed(3)} | ${figures.p50.toFixed(1)} | ${figures.p99.toFixed(1)} | ${figures.queries} |`,
        ];
  const lines = [
    `\n### ${report.set}\n`,
    `| | ${metricNames.join(" | ")} | ± R@3 | p50 ms | p99 ms | queries |`,
    `|---|${metricNames.map(() => "---|").join("")}---|---|---|---|`,
    ...row("ralph", report.ralph),
    ...row("ralph, no recency", report.ralphWithoutRecency),
    ...row("ralph, last hour hidden", report.ralphWithoutLastHour),
    ...row("ralph, a turn with those beside it", report.ralphWithNeighbours),
    ...row("plain BM25", report.bm25),
    ...row("tag overlap", report.seed),
    ...(report.byKind ? kindLines(report.byKind) : []),
    ...(report.abstain ? abstainLines(report.abstain) : []),
  ];
  console.log(lines.join("\n"));
}

function abstainLines({ foreign, lostR3, own, ownWithoutAnswer, curve }: Abstaining): readonly string[] {
  const percent = (share: number): string => `${(share * 100).toFixed(0)}%`;
  return [
    `\nNothing for ${percent(foreign)} of other sets' queries, ${percent(own)} of its own (R@3 lost: ${lostR3.toFixed(3)}), ${percent(ownWithoutAnswer)} of its own with their answers taken away.\n`,
    "| threshold | other sets' | own, R@3 lost | own without answers |",
    "|---|---|---|---|",
    ...curve.map(
      (at) =>
        `| ${at.threshold} | ${percent(at.foreign)} | ${at.lostR3.toFixed(3)} | ${percent(at.ownWithoutAnswer)} |`,
    ),
  ];
}
