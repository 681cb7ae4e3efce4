import type { SearchQuery } from "../../search/query.ts";
import type { ForeignHit } from "./find-foreign.ts";
import type { FoundRecord, RecordSearch } from "./find-records.ts";
import type { SharedMemory, StoredMemory } from "./shared-memory.ts";
import type { SharedCounts } from "./shared-memory-store.ts";

/** Where the records that projects share are kept. Every call throws `RALPH_HIVEMIND_UNAVAILABLE` with the reason. */
export interface HivemindBackend {
  /** Stores records. One with a known id replaces it, where the backend has ids of ralph's. Returns the id of each. */
  put(memories: readonly SharedMemory[], deadlineMs: number): Promise<readonly string[]>;
  /** Deletes records. Returns the number of those that were there. */
  remove(ids: readonly string[], deadlineMs: number): Promise<number>;
  /** Returns the records of `ids` that exist. */
  get(ids: readonly string[], deadlineMs: number): Promise<readonly StoredMemory[]>;
  find(request: RecordSearch, deadlineMs: number): Promise<readonly FoundRecord[]>;
  /** Returns the records of other projects than `own` that fit a task, best first. */
  forTask(
    query: SearchQuery,
    of: { readonly own: string; readonly now: Date },
    deadlineMs: number,
  ): Promise<readonly ForeignHit[]>;
  /** Resets the age of a record. Returns false if it does not exist. */
  refresh(id: string, now: Date, deadlineMs: number): Promise<boolean>;
  count(deadlineMs: number): Promise<SharedCounts>;
}
