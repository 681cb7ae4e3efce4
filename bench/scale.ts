// npm run bench:scale [-- --documents N,N] [--json]: how long a full recall (query to packed section) and adding one
// learning take in a large store, and how much of the disk each learning needs. The texts are made up: words with the
// frequencies of a real vocabulary (Zipf-Mandelbrot, 30,000 words), about 200 characters each. The first table is of the
// search itself over texts and their index, the second, up to 100,000, of the product's whole paths in a project's store.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SearchDocument } from "../src/search/document.ts";
import { dropNearDuplicates } from "../src/search/drop-near-duplicates.ts";
import { addDocuments } from "../src/search/index-documents.ts";
import type { SearchQuery } from "../src/search/query.ts";
import { search } from "../src/search/search.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { insertLearning, learnings, makeTable } from "./retrieval/learnings-table.ts";
import { createTexts, type Texts } from "./retrieval/texts.ts";
import { measureWholePath, storeLearnings, type WholePath } from "./store-learnings.ts";
import { timed } from "./timed.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string" },
    json: { type: "boolean" },
    short: { type: "boolean" },
    measure: { type: "string" },
    whole: { type: "string" },
  },
});
const sizes = (values.documents ?? "10000,100000").split(",").map(Number);

/** The program for a process of its own, which measures as this one would; with `--short`, this one does. */
const itself = values.short ? null : [...process.execArgv, import.meta.filename];

interface Scale {
  readonly documents: number;
  /** Milliseconds of a recall, warm; `first` is the very first one of the process in this store. */
  readonly p50: number;
  readonly p99: number;
  readonly first: number;
  /** CPU milliseconds of a recall, on average. */
  readonly cpu: number;
  /** Milliseconds of a durable transaction (`synchronous=FULL`) that writes one learning and its index. */
  readonly addP50: number;
  readonly addP99: number;
  readonly addCpu: number;
  /** Milliseconds of a durable transaction that changes one word: what this disk takes. */
  readonly emptyP50: number;
  readonly emptyP99: number;
  readonly bytesPerDocument: number;
  readonly indexBytesPerDocument: number;
  readonly load: number;
}

/** Not counted: Node compiles what runs often. */
const warming = 150;
const recalls = 300;
const adds = 100;
/** A store of the product's own rows takes a millisecond each to fill. */
const filledAtMost = 100_000;

type Timed = Omit<Scale, "documents" | "bytesPerDocument">;

if (values.measure !== undefined) {
  console.log(JSON.stringify(await measureIn(values.measure, sizes[0] ?? 0)));
} else if (values.whole !== undefined) {
  console.log(JSON.stringify(await storeLearnings(values.whole, sizes[0] ?? 0)));
} else {
  const measured: (Scale & { readonly wholePath: WholePath | null })[] = [];
  for (const documents of sizes) {
    const scale = await measure(documents);
    const wholePath = documents <= filledAtMost ? await measureWholePath(documents, itself) : null;
    measured.push({ ...scale, wholePath });
  }
  if (values.json) console.log(JSON.stringify(measured));
  else {
    print(measured);
    printWholePath(measured.flatMap(({ wholePath }) => wholePath ?? []));
  }
}

async function measure(documents: number): Promise<Scale> {
  const root = await mkdtemp(join(tmpdir(), "ralph-scale-"));
  try {
    const path = join(root, "progress.db");
    const texts = createTexts(documents);
    const db = await openStore({ path });
    await makeTable(db);
    await fill(db, documents, texts);
    await db.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = statSync(path).size;
    await db.close();
    if (itself === null)
      return { documents, bytesPerDocument: bytes / documents, ...(await measureIn(path, documents)) };
    // A process of its own, as a run is one: this one's memory is full of what it wrote.
    const args = [...itself, "--measure", path, "--documents", `${documents}`];
    const printed = execFileSync(process.execPath, args, { encoding: "utf8" });
    return { documents, bytesPerDocument: bytes / documents, ...(JSON.parse(printed) as Timed) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Asks and adds, in a store that is filled. */
async function measureIn(path: string, documents: number): Promise<Timed> {
  const texts = createTexts(documents + 1);
  const bytes = statSync(path).size;
  const again = await openStore({ path });
  const queries = Array.from({ length: warming + recalls }, () => texts.query());
  const cold = await timed(warming, (at) => recall(again, queries[at]));
  const recalled = await timed(recalls, (at) => recall(again, queries[warming + at]));
  await timed(adds / 5, (at) => add(again, texts, documents + at));
  const added = await timed(adds, (at) => add(again, texts, documents + warming + at));
  const empty = await timed(adds, (at) => touch(again, at));
  const rows = await again.get<{ bytes: number }>(
    "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name NOT LIKE '%retrieval%'",
  );
  await again.close();
  return {
    ...{ p50: recalled.p50, p99: recalled.p99, first: cold.first, cpu: recalled.cpu },
    ...{
      addP50: added.p50,
      addP99: added.p99,
      addCpu: added.cpu,
      emptyP50: empty.p50,
      emptyP99: empty.p99,
    },
    indexBytesPerDocument: (bytes - Number(rows?.bytes ?? 0)) / documents,
    load: loadavg()[0] ?? 0,
  };
}

async function fill(db: Db, documents: number, texts: Texts): Promise<void> {
  for (let from = 0; from < documents; from += 1000) {
    await db.transaction(async (tx) => {
      const added: SearchDocument[] = [];
      for (let at = from; at < Math.min(documents, from + 1000); at += 1) {
        added.push(await insertLearning(tx, texts.learning(), at));
      }
      await addDocuments(tx, added);
    });
  }
}

async function add(db: Db, texts: Texts, at: number): Promise<void> {
  await db.transaction(async (tx) => addDocuments(tx, [await insertLearning(tx, texts.learning(), at)]));
}

/** The least that a durable transaction can write: what the disk takes. */
async function touch(db: Db, at: number): Promise<void> {
  await db.transaction((tx) => tx.run("UPDATE bench_learnings SET category = ? WHERE rowid = 1", [`c${at}`]));
}

async function recall(db: Db, query: SearchQuery | undefined): Promise<void> {
  if (!query) throw new Error("no query");
  const now = new Date("2026-06-01T00:00:00Z");
  const { hits } = await search(db, { query, sources: [learnings], limit: 20, now });
  dropNearDuplicates(hits);
}

function print(all: readonly Scale[]): void {
  console.log(
    "| learnings | recall p50 | p99 | first | CPU | add p50 | p99 | CPU | empty transaction p50 | p99 | bytes each | of these index | load |",
  );
  console.log(`|${"---|".repeat(13)}`);
  for (const one of all) {
    const { p50, p99, first, cpu, addP50, addP99, addCpu, emptyP50, emptyP99 } = one;
    const ms = [p50, p99, first, cpu, addP50, addP99, addCpu, emptyP50, emptyP99].map((t) => t.toFixed(1));
    const bytes = [one.bytesPerDocument, one.indexBytesPerDocument].map((n) => n.toFixed(0));
    console.log(`| ${[one.documents, ...ms, ...bytes, one.load.toFixed(1)].join(" | ")} |`);
  }
}

function printWholePath(all: readonly WholePath[]): void {
  console.log(
    "\nIn a store of the product's own, with every column, index and the history, by its whole path:\n",
  );
  console.log(
    "| learnings | recall for a task, packed: p50 | p99 | CPU | storing one, durable: p50 | p99 | CPU | without the wait for the disk: p50 | p99 | CPU | bytes each | load |",
  );
  console.log(`|${"---|".repeat(12)}`);
  for (const { documents, recall, durable, unsynced, bytesPerDocument, load } of all) {
    const times = [recall, durable, unsynced].flatMap(({ p50, p99, cpu }) => [p50, p99, cpu]);
    const ms = times.map((t) => t.toFixed(1));
    console.log(`| ${[documents, ...ms, bytesPerDocument.toFixed(0), load.toFixed(1)].join(" | ")} |`);
  }
}
