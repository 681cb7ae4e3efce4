import type { DocumentSource } from "../search/document.ts";
import type { Reader } from "../store/port/db.ts";
import { countReports } from "./failures/failure-store.ts";
import { type JournalStatus as Journals, journalStatus as journalsIn } from "./journal/journal-status.ts";
import { countUsable } from "./learnings/store/count-learnings.ts";
import { countNotes } from "./notes/count-notes.ts";
import type { FindMemories } from "./port/kind-commands.ts";
import type { MemoryKind } from "./port/memory-kind.ts";
import { countSkills } from "./skills/count-skills.ts";
import {
  type ContextStatus as Context,
  contextStatus as contextOf,
} from "./structured-context/read-context.ts";

/** One line of the list. The rest of a kind is loaded when it is needed, so that counting stays quick. */
interface KindEntry {
  /** The field of `ralph status --json` that holds its count; absent, like `count`: it has none. */
  readonly counted?: string;
  /** Singular name in the text of `ralph status`; absent: the text leaves it out. */
  readonly label?: string;
  /** Named first where people read about several kinds. */
  readonly leads?: true;
  readonly count?: (q: Reader) => Promise<number>;
  load(): Promise<MemoryKind>;
  /** Loads its part of `ralph memory find`, if it has one. */
  readonly find?: () => Promise<FindMemories>;
  /** Loads its documents for the search index, if it has any. */
  readonly documents?: () => Promise<DocumentSource>;
}

/** All memory kinds, in the order in which they capture and instruct. Their sections of the prompt: `port/kind-sections.ts`. */
const memoryKinds: readonly KindEntry[] = [
  {
    counted: "failureReports",
    label: "failure report",
    count: countReports,
    load: async () => (await import("./failures/failure-memory.ts")).failureKind,
    find: async () => (await import("./failures/find-reports.ts")).findReports,
    documents: async () => (await import("./failures/failure-index.ts")).reportSource,
  },
  {
    counted: "learnings",
    label: "learning",
    leads: true,
    count: countUsable,
    load: async () => (await import("./learnings/learning-memory.ts")).learningKind,
    find: async () => (await import("./learnings/find-learnings.ts")).findLearnings,
    documents: async () => (await import("./learnings/store/learning-index.ts")).learningSource,
  },
  {
    counted: "notes",
    count: (q) => countNotes(q),
    load: async () => (await import("./notes/note-memory.ts")).noteKind,
  },
  {
    load: async () => (await import("./hivemind/hivemind-memory.ts")).hivemindKind,
    find: async () => (await import("./hivemind/find-beside.ts")).findBeside,
  },
  {
    counted: "skills",
    count: countSkills,
    load: async () => (await import("./skills/skill-memory.ts")).skillKind,
  },
  {
    load: async () => (await import("./structured-context/context-memory.ts")).contextKind,
  },
  {
    load: async () => (await import("./journal/journal-memory.ts")).journalKind,
  },
  // Records are built from what the kinds above captured, and proposals of skills from records.
  { load: async () => (await import("./records/record-memory.ts")).recordKind },
  { load: async () => (await import("./skills/proposal-memory.ts")).proposalKind },
];

const forPeople = memoryKinds.toSorted((a, b) => Number(b.leads ?? false) - Number(a.leads ?? false));

interface LoadedKind extends MemoryKind {
  /** True: the search index holds its documents. */
  readonly isSearchable: boolean;
}

const loaded = new Map<KindEntry, Promise<LoadedKind>>();

async function loadKind(entry: KindEntry): Promise<LoadedKind> {
  const kind =
    loaded.get(entry) ??
    entry.load().then((one) => ({ ...one, isSearchable: entry.documents !== undefined }));
  loaded.set(entry, kind);
  return kind;
}

/** Loads all kinds, once per process. */
export async function loadKinds(): Promise<readonly MemoryKind[]> {
  return Promise.all(memoryKinds.map(loadKind));
}

/** As `loadKinds`, in the order in which people read about them. */
export async function loadKindsForPeople(): Promise<readonly LoadedKind[]> {
  return Promise.all(forPeople.map(loadKind));
}

/** Loads what answers `ralph memory find`, in the same order. */
export async function loadFind(): Promise<readonly FindMemories[]> {
  return Promise.all(forPeople.flatMap(({ find }) => find ?? []).map((load) => load()));
}

/** The kinds that the text of `ralph status` names, with the field of `countMemory` that holds their number. */
export const countedKinds: readonly { readonly counted: string; readonly label: string }[] =
  forPeople.flatMap(({ counted, label }) =>
    counted === undefined || label === undefined ? [] : [{ counted, label }],
  );

/** Returns how much of each kind is stored and usable, by the names that `ralph status --json` gives them. */
export async function countMemory(q: Reader): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { counted, count } of forPeople) if (counted && count) counts[counted] = await count(q);
  return counts;
}

/** The state of `.ralph-context.json`. */
export type ContextStatus = Context;
/** The state of the journals. */
export type JournalStatus = Journals;

/** Returns how the structured context is. Only reads. */
export async function contextStatus(q: Reader): Promise<ContextStatus> {
  return contextOf(q);
}

/** Returns how the journals in `folder` are. Only reads. */
export async function journalStatus(q: Reader, folder: string): Promise<JournalStatus> {
  return journalsIn(q, folder);
}

/** Returns the documents that the search index holds. */
export async function documentSources(): Promise<readonly DocumentSource[]> {
  const sources = memoryKinds.flatMap(({ documents }) => documents ?? []);
  return Promise.all(sources.map((load) => load()));
}
