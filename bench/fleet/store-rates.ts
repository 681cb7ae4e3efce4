import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisOwner } from "../../src/agents/supervision.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Db } from "../../src/store/port/db.ts";
import { claimTask } from "../../src/tasks/graph/claim-store.ts";
import type { Claim } from "../../src/tasks/graph/task.ts";
import { addTask } from "../../src/tasks/graph/task-graph.ts";
import { completeTask } from "../../src/tasks/graph/task-transitions.ts";

export interface Rates {
  readonly store: string;
  readonly sessions: number;
  readonly claimsPerSecond: number;
  readonly completionsPerSecond: number;
}

/** Claims and completes `count` tasks, each in a transaction of its own, by so many sessions beside each other. */
async function measureRates(path: string, sessions: number, count: number): Promise<Omit<Rates, "store">> {
  const dbs = await Promise.all(Array.from({ length: sessions }, () => openStore({ path })));
  const [first] = dbs;
  if (!first) throw new Error("there is no session");
  const ids = Array.from({ length: count }, (_, n) => `s${sessions}-${n}`);
  await first.transaction(async (tx) => {
    for (const id of ids) await addTask(tx, { task: { id, title: id }, after: [] }, new Date());
  });
  const claims: Claim[] = [];
  const claimsPerSecond = await rate(dbs, ids, async (db, taskId) => {
    const claim = await db.transaction((tx) =>
      claimTask(tx, { taskId, owner: thisOwner(), runId: "run-1" }, new Date()),
    );
    if (claim) claims.push(claim);
  });
  const completionsPerSecond = await rate(dbs, claims, async (db, claim) => {
    await db.transaction((tx) => completeTask(tx, claim, new Date()));
  });
  await Promise.all(dbs.map((db) => db.close()));
  return { sessions, claimsPerSecond, completionsPerSecond };
}

async function rate<T>(
  dbs: readonly Db[],
  items: readonly T[],
  work: (db: Db, item: T) => Promise<void>,
): Promise<number> {
  const left = [...items];
  const start = performance.now();
  await Promise.all(
    dbs.map(async (db) => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(db, item);
    }),
  );
  return items.length / ((performance.now() - start) / 1000);
}

/** Measures a new file and a server in turn, `rounds` times. Returns the round with the median claims of each. */
export async function compareStores(url: string, count: number, rounds = 3): Promise<readonly Rates[]> {
  const all: Rates[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const folder = mkdtempSync(join(tmpdir(), "ralph-rates-"));
    try {
      all.push({ store: "file", ...(await measureRates(join(folder, "progress.db"), 1, count)) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    for (const sessions of [1, 8])
      all.push({
        store: "PostgreSQL",
        ...(await measureRates(`${url}?schema=rates${n}_${sessions}`, sessions, count)),
      });
  }
  return [all[0], all[1], all[2]].flatMap((kind) => {
    const same = all.filter(({ store, sessions }) => store === kind?.store && sessions === kind.sessions);
    return same.toSorted((a, b) => a.claimsPerSecond - b.claimsPerSecond)[Math.floor(same.length / 2)] ?? [];
  });
}
