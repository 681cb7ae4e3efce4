import type { DocumentSource } from "../search/document.ts";
import type { Reader } from "../store/db.ts";
import { countUsable } from "./count-learnings.ts";
import type { MemoryKind } from "./memory-kind.ts";
import { countNotes } from "./notes/count-notes.ts";
import { countReports } from "./read-failures.ts";

/** One line of the list. The rest of a kind is loaded when it is needed, so that counting stays quick. */
interface KindEntry {
  /** The field of `ralph status --json` that holds its count. */
  readonly counted: string;
  count(q: Reader): Promise<number>;
  load(): Promise<MemoryKind>;
  /** Loads its documents for the search index, if it has any. */
  readonly documents?: () => Promise<DocumentSource>;
}

/** All memory kinds, in the order in which they capture and instruct. */
const memoryKinds: readonly KindEntry[] = [
  {
    counted: "failureReports",
    count: countReports,
    load: async () => (await import("./failures/failure-memory.ts")).failureKind,
  },
  {
    counted: "learnings",
    count: countUsable,
    load: async () => (await import("./learnings/learning-memory.ts")).learningKind,
    documents: async () => (await import("./learnings/store/learning-index.ts")).learningSource,
  },
  {
    counted: "notes",
    count: (q) => countNotes(q),
    load: async () => (await import("./notes/note-memory.ts")).noteKind,
  },
];

let loaded: Promise<readonly MemoryKind[]> | undefined;

/** Loads all kinds, once per process. */
export async function loadKinds(): Promise<readonly MemoryKind[]> {
  loaded ??= Promise.all(memoryKinds.map((kind) => kind.load()));
  return loaded;
}

/** Returns how much of each kind is stored and usable, by the names that `ralph status --json` gives them. */
export async function countMemory(q: Reader): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const kind of memoryKinds) counts.set(kind.counted, await kind.count(q));
  return counts;
}

/** Returns the documents that the search index holds. */
export async function documentSources(): Promise<readonly DocumentSource[]> {
  const sources = memoryKinds.flatMap(({ documents }) => documents ?? []);
  return Promise.all(sources.map((load) => load()));
}
