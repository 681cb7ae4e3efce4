// npm run bench:hivemind -- DIR: memory that projects share, on the sets scb, gitbugs and swefiles in the layout of
// DIR/<set>/{docs,queries,qrels}.jsonl. scb: how often titles alone find the right record (R@5). gitbugs and swefiles, each
// scope a project: R@3 of the own documents in prompts without and with the others' documents as foreign memory; in how many
// prompts a record of another project appears, which is noise; and how often the rule that keeps them out would let the right
// record of the own project through.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findForeign } from "../src/memory/hivemind/find-foreign.ts";
import { findRecords } from "../src/memory/hivemind/find-records.ts";
import { contentChars, type SharedMemory } from "../src/memory/hivemind/shared-memory.ts";
import { putShared } from "../src/memory/hivemind/shared-memory-store.ts";
import { findTyped } from "../src/memory/port/find-typed.ts";
import type { SearchDocument } from "../src/search/document.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { type DataSet, dataSets } from "./retrieval/data-set.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run bench:hivemind -- DIR");
/** As many as a prompt shows. */
const shown = 3;
const now = new Date("2030-01-01T00:00:00Z");

for (const set of dataSets(folder)) {
  if (set.name === "scb") await withHivemind(set.documents, 20_000, (db) => titlesAlone(db, set));
  if (set.name === "gitbugs" || set.name === "swefiles")
    await withHivemind(set.documents, contentChars, async (db, path) => {
      await letThrough(db, set);
      await inPrompts(set, path);
    });
}

/** The search of `ralph memory find --collection hivemind`: typed words, weak matches included. */
async function titlesAlone(db: Db, set: DataSet): Promise<void> {
  let found = 0;
  for (const { query, relevant } of set.queries) {
    const asked = { text: query.title, tags: [], limit: 5 };
    const hits = await findTyped(
      asked,
      (words) => findRecords(db, { ...words, now, abstain: false }),
      ({ memory }) => memory.id,
    );
    found += hits.some(({ memory }) => relevant.has(memory.id)) ? 1 : 0;
  }
  console.log(`${set.name}: titles alone, R@5 ${share(found, set.queries.length)}`);
}

/** How often the right record would be found if all projects were foreign. */
async function letThrough(db: Db, set: DataSet): Promise<void> {
  let right = 0;
  for (const { query, relevant } of set.queries) {
    const all = (await findForeign(db, query, { own: "", now })).slice(0, shown);
    right += all.some(({ memory }) => relevant.has(memory.id)) ? 1 : 0;
  }
  console.log(`${set.name}: right record let through in ${share(right, set.queries.length)}`);
}

async function inPrompts(set: DataSet, path: string): Promise<void> {
  const { ownBesideForeign } = await import("./own-beside-foreign.ts");
  const { tasks, alone, beside, noisy } = await ownBesideForeign(set, path);
  console.log(
    `${set.name}: own R@3 in ${tasks} prompts ${alone.toFixed(3)} alone, ${beside.toFixed(3)} beside foreign memory; ` +
      `foreign noise in ${noisy} (${share(noisy, tasks)})`,
  );
}

async function withHivemind(
  documents: readonly SearchDocument[],
  maxChars: number,
  work: (db: Db, path: string) => Promise<void>,
): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), "ralph-bench-"));
  const path = join(made, "hivemind.db");
  const db = await openStore({ path, schema: "hivemind" });
  try {
    await db.transaction((tx) =>
      putShared(
        tx,
        documents.map((one) => toShared(one, maxChars)),
      ),
    );
    await work(db, path);
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
