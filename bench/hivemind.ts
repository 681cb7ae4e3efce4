// npm run bench:hivemind -- DIR: memory that projects share, on the sets scb, gitbugs and swefiles in the layout of
// DIR/<set>/{docs,queries,qrels}.jsonl. scb: how often titles alone find the right record (R@5). gitbugs and swefiles, each
// scope a project: in how many tasks a prompt shows records of other projects, which are noise; and how often the rule that
// keeps them out would let the right record of the own project through. The own learnings are ranked in another store.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentChars, type SharedMemory } from "../src/memory/hivemind/database/shared-memory.ts";
import { putShared, sharedSource } from "../src/memory/hivemind/database/shared-memory-store.ts";
import { findForeign } from "../src/memory/hivemind/recall/find-foreign.ts";
import type { SearchDocument } from "../src/search/document.ts";
import { textQuery } from "../src/search/query.ts";
import { search } from "../src/search/search.ts";
import type { Db } from "../src/store/db.ts";
import { openStore } from "../src/store/open-store.ts";
import { type DataSet, dataSets } from "./retrieval/data-set.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run bench:hivemind -- DIR");
/** As many as a prompt shows. */
const shown = 3;
const now = new Date("2030-01-01T00:00:00Z");

for (const set of dataSets(folder)) {
  if (set.name === "scb") await withHivemind(set.documents, 20_000, (db) => titlesAlone(db, set));
  if (set.name === "gitbugs" || set.name === "swefiles")
    await withHivemind(set.documents, contentChars, (db) => beside(db, set));
}

/** As `ralph memory find` searches the hivemind: typed words, weak matches included. */
async function titlesAlone(db: Db, set: DataSet): Promise<void> {
  let found = 0;
  for (const { query, relevant } of set.queries) {
    const request = { query: textQuery(query.title), sources: [sharedSource], limit: 6, now };
    const { hits } = await search(db, { ...request, abstain: false, recency: false });
    found += hits.slice(0, 5).some(({ document }) => relevant.has(document.id)) ? 1 : 0;
  }
  console.log(`${set.name}: titles alone, R@5 ${share(found, set.queries.length)}`);
}

async function beside(db: Db, set: DataSet): Promise<void> {
  let noisy = 0;
  let right = 0;
  for (const { query, scope, relevant } of set.queries) {
    noisy += (await findForeign(db, query, { own: scope, now })).length > 0 ? 1 : 0;
    // Found as if all projects were foreign.
    const all = (await findForeign(db, query, { own: "", now })).slice(0, shown);
    right += all.some(({ memory }) => relevant.has(memory.id)) ? 1 : 0;
  }
  const tasks = set.queries.length;
  console.log(
    `${set.name}: foreign noise in ${share(noisy, tasks)} of ${tasks} tasks; right record let through in ${share(right, tasks)}`,
  );
}

async function withHivemind(
  documents: readonly SearchDocument[],
  maxChars: number,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), "ralph-bench-"));
  const db = await openStore({ path: join(made, "hivemind.db"), schema: "hivemind", history: null });
  try {
    await db.transaction((tx) =>
      putShared(
        tx,
        documents.map((one) => toShared(one, maxChars)),
      ),
    );
    await work(db);
  } finally {
    await db.close();
    await rm(made, { recursive: true });
  }
}

function toShared({ id, title, body, scope, createdAt }: SearchDocument, maxChars: number): SharedMemory {
  return {
    id,
    type: "success",
    title,
    content: body.slice(0, maxChars),
    tags: ["ralph", "learning", scope],
    project: scope,
    projectName: scope,
    signature: null,
    createdAt,
  };
}

function share(part: number, of: number): string {
  return (part / Math.max(1, of)).toFixed(3);
}
