import type { SafeText } from "../../base/safe-text.ts";
import type { Db, Reader, Tx } from "../../store/db.ts";
import type { HivemindSettings } from "./hivemind-settings.ts";

/** The first line of an export. */
export const exportHeader = { format: "ralph-memory", version: 1 };

/** The parts of a kind that the commands of `ralph memory` use; a kind without a part is left out of that command. */
export interface KindCommands {
  /** Gives memories to a person's interactive session. */
  readonly session?: {
    /** Returns the memories that fit, best first; none when nothing fits well. Only reads. */
    recall(q: Reader, request: SessionRecall): Promise<readonly SessionMemory[]>;
    /** Records that a session was given these memories. */
    recordUse(tx: Tx, ids: readonly string[], now: Date): Promise<void>;
  };
  /** Counts what is stored. */
  statistics?(q: Reader): Promise<KindStatistics>;
  /** Writes every memory of the kind as lines of JSON. */
  readonly export?: {
    /** Singular name: `learning`. */
    readonly label: string;
    /** The field of `ralph memory export --json` with the number of lines. */
    readonly field: string;
    lines(q: Reader): AsyncIterable<string>;
  };
  readonly purge?: KindPurge;
  /** Writes a file that repeats rows of other kinds again, after a purge of those. */
  refreshFile?(q: Reader, place: Pick<PurgePlace, "root">): Promise<void>;
  /** Archives what is old and unused, at most `limit` memories. A dry run changes nothing. */
  readonly prune?: {
    /** Singular name: `learning`. */
    readonly label: string;
    /** The field of `ralph memory prune --json` that lists them. */
    readonly field: string;
    run(request: PruneRequest, limits: PruneLimits): Promise<readonly NamedMemory[]>;
  };
  /** Merges similar memories; every member can be restored. A dry run changes nothing. */
  summarize?(request: ChangeRequest, limits: MergeLimits): Promise<readonly Merge[]>;
}

/** Finds the memories that fit typed words, best first, weak matches included. Does not count as a use. */
export type FindMemories = (q: Reader, request: FindRequest) => Promise<FoundMemories>;

/** A search for an interactive session of a person's. */
export interface SessionRecall {
  /** The person's prompt; null: none yet, so that only proven memories fit. */
  readonly prompt: string | null;
  /** Maximum number of memories. */
  readonly max: number;
  /** Memories that the session has seen. */
  readonly exclude: ReadonlySet<string>;
  /** The project's folder: memories cite its files. */
  readonly root: string;
  readonly now: Date;
}

/** A memory as one line of a session's context. */
export interface SessionMemory {
  readonly id: string;
  readonly line: SafeText;
}

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

/** Permanently deletes memories (TRUST-4). */
export interface KindPurge {
  /** Singular name: `failure report`. */
  readonly label: string;
  /** Returns the kind's fields of `ralph memory purge --json`. */
  toJson(plan: PurgePlan): object;
  /** Plans the purge of everything that a run stored. Only reads. */
  planRun(q: Reader, runId: string): Promise<PurgePlan>;
  /** Plans the purge of single memories by id; absent: people cannot name a memory of this kind. Only reads. */
  readonly byId?: {
    owns(q: Reader, id: string): Promise<boolean>;
    /** @throws RalphError `RALPH_MEMORY_UNKNOWN` */
    plan(q: Reader, ids: readonly string[]): Promise<PurgePlan>;
  };
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

interface PruneLimits {
  readonly limit: number;
  readonly dryRun?: boolean;
}

interface MergeLimits {
  readonly merges?: number;
  readonly dryRun?: boolean;
}

/** One merge that was made, or would be in a dry run. */
export interface Merge {
  /** Null: not made yet. */
  readonly id: string | null;
  readonly from: readonly string[];
  readonly kept: string;
  readonly lesson: string;
}
