import type { Db, Reader, Tx } from "../../store/port/db.ts";
import type { HivemindSettings } from "./hivemind-settings.ts";

/** Finds the memories that fit typed words, best first, weak matches included. Does not count as a use. */
export type FindMemories = (q: Reader, request: FindRequest) => Promise<FoundMemories>;

/** One memory in a list for people: its id and its text, or the beginning of it. */
export interface NamedMemory {
  readonly id: string;
  readonly lesson: string;
}

/** A search by typed words, or by tags alone. */
export interface FindRequest {
  /** "": the newest memories with all of the tags. */
  readonly text: string;
  readonly limit: number;
  readonly now: Date;
  /** Only this scope; null for all. */
  readonly scope: string | null;
  /** Only memories with all of these tags. */
  readonly tags: readonly string[];
  /** The memory that projects share; absent or null: it is not searched. */
  readonly hivemind?: HivemindSettings | null;
}

export interface FoundMemories {
  /** Best first. */
  readonly found: readonly FoundMemory[];
  /** The part of the search that failed, with the reason; null: none. */
  readonly problem: string | null;
}

/** A memory that a search found, with its score. */
export interface FoundMemory {
  readonly id: string;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** True: it comes after the memories of the project, because nobody confirmed it there. */
  readonly ranksLast?: true;
  /** Its text in one line, for people. */
  readonly line: string;
  /** The `memory` of a result of `ralph memory find --json`. */
  readonly json: object;
  /** The result of `memory_search` for an agent, without its score. */
  readonly view: object;
}

export interface KindStatistics {
  /** The kind's fields of `ralph memory stats --json`. */
  readonly json: object;
  /** Its lines of `ralph memory stats`. */
  readonly lines: readonly string[];
}

/** The number of memories that a purge deletes, and those that are named. */
export interface PurgePlan {
  readonly count: number;
  /** Memories that are deleted, where the kind's memories have an id that people use. */
  readonly erased: readonly NamedMemory[];
  /** Memories that return, because they were merged into a deleted one. */
  readonly restored: readonly NamedMemory[];
}

/** The plan of a kind whose memories have no id that people use: a purge counts them. */
export function counted(count: number): PurgePlan {
  return { count, erased: [], restored: [] };
}

/** Everything that a run stored, or single memories by id. */
export interface PurgeTarget {
  /** Null: it names single memories. */
  readonly runId: string | null;
  /** Empty for a run. */
  readonly ids: readonly string[];
}

/** Permanently deletes memories (TRUST-4). */
export interface KindPurge {
  /** Singular name: `failure report`. */
  readonly label: string;
  /** Returns the kind's fields of `ralph memory purge --json`. */
  toJson(plan: PurgePlan): object;
  /** True: people name its memories by id. */
  readonly isNamed?: boolean;
  /** Plans the purge of what the target names of this kind. Only reads. @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  plan(q: Reader, target: PurgeTarget): Promise<PurgePlan>;
  /**
   * Deletes the files of what a purge deletes, before `erase`: rows that a kill leaves without their files are written again.
   * `erased`: the ids that the whole purge deletes.
   */
  removeFiles?(q: Reader, place: PurgePlace, erased: readonly string[]): Promise<void>;
  /** Writes the files that `removeFiles` deleted and whose rows are still there. */
  writeFiles?(q: Reader, place: PurgePlace): Promise<void>;
  /** Deletes what the plan names, or what the run stored; the caller rebuilds the search index. Returns what it deleted. */
  erase(tx: Tx, plan: PurgePlan, occasion: Occasion): Promise<PurgePlan>;
}

/** Where a purge happens, and of what. */
export interface PurgePlace {
  readonly root: string;
  /** The folder of record files, relative to `root`. */
  readonly recordsDir: string;
  /** The file of the hivemind; null: it is not used. */
  readonly hivemind: string | null;
  /** Null: it deletes single memories. */
  readonly runId: string | null;
}

interface Occasion {
  readonly runId: string | null;
  readonly now: Date;
}

export interface ChangeRequest extends Occasion {
  readonly db: Db;
}

/** Ages in milliseconds. */
interface PruneAges {
  readonly reportsMs: number;
  readonly learningsMs: number;
  readonly unusedMs: number;
}

export interface PruneRequest extends ChangeRequest {
  readonly prune: PruneAges;
}
