import { RalphError } from "../../base/errors.ts";
import { clip, oneLine } from "../../base/text.ts";
import { withoutQuotes } from "../../search/query.ts";
import type { Db } from "../../store/port/db.ts";
import { findTyped } from "../port/find-typed.ts";
import type { HivemindSettings, ProjectOrigin } from "../port/hivemind-settings.ts";
import { backendOf } from "./backend-of.ts";
import { deliverEntries } from "./deliver-entries.ts";
import { idOf, tagOf } from "./describe-outcome.ts";
import { markEntries, putPending } from "./entry-store.ts";
import type { RecordSearch } from "./find-records.ts";
import { decisionsOn, type ForeignDecision, type ForeignUseView, historyOf } from "./foreign-use-store.ts";
import { type RecordMark, type RecordView, recordJson, recordView } from "./record-view.ts";
import { contentChars, type SharedMemory, type StoredMemory } from "./shared-memory.ts";
import type { SharedCounts } from "./shared-memory-store.ts";
import { withoutPrivateData } from "./without-private-data.ts";

/** How long a command waits for the hivemind, in milliseconds (HIVE-4). */
const deadlineMs = 15_000;
const maxTags = 40;

/** A record that a search found, with its score. */
export interface ScoredRecord {
  readonly record: RecordView;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

/** A record with its history in a project. */
export interface RecordHistory {
  readonly record: RecordView;
  readonly decision: ForeignDecision | null;
  readonly uses: readonly ForeignUseView[];
}

/** The records of the hivemind, for the commands of `ralph memory` (HIVE-5). Calls throw `RALPH_HIVEMIND_UNAVAILABLE`. */
export interface HivemindCollection {
  /** Stores a text without private data, at most 1,000 characters of it. */
  store(text: string, tags: readonly string[]): Promise<RecordView>;
  /** Finds records, weak matches included. Text "" lists the newest. */
  find(request: Pick<RecordSearch, "text" | "tags" | "limit">): Promise<readonly ScoredRecord[]>;
  /** @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  get(id: string): Promise<RecordView>;
  /** @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  history(id: string): Promise<RecordHistory>;
  /** Deletes a record permanently, whichever project it is from. Returns true if it was there. */
  remove(id: string): Promise<boolean>;
  /** Resets the age of a record. @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  validate(id: string): Promise<RecordView>;
  count(): Promise<SharedCounts>;
  toJson(record: RecordView): object;
}

interface CollectionSetup {
  readonly hivemind: HivemindSettings;
  /** The project whose decisions count; null outside a project. */
  readonly db: Db | null;
  readonly now: () => Date;
}

/** Opens the hivemind as a collection. */
export function openCollection({ hivemind, db, now }: CollectionSetup): HivemindCollection {
  const backend = backendOf(hivemind);
  const view = async (memories: readonly StoredMemory[]): Promise<readonly RecordView[]> => {
    const origin = db === null ? null : await hivemind.project();
    const decisions = db === null ? new Map<string, RecordMark>() : await decisionsOn(db, memories);
    return memories.map((memory) => {
      const own: RecordMark = memory.project === origin?.id ? "own" : "unconfirmed";
      const mark = db === null ? null : (decisions.get(memory.id) ?? own);
      return recordView(memory, { mark, now: now() });
    });
  };
  const get = async (id: string): Promise<RecordView> => {
    const [record] = await view(await backend.get([id], deadlineMs));
    if (record) return record;
    throw new RalphError("RALPH_MEMORY_UNKNOWN", `unknown record ${JSON.stringify(id)} of the hivemind`, {
      hint: "run `ralph memory list --collection hivemind` to see all",
    });
  };
  return {
    store: async (text, tags) => {
      const memory = recordOf({ text, tags }, await hivemind.project(), now());
      if (db === null) {
        const [id = memory.id] = await backend.put([memory], deadlineMs);
        return get(id);
      }
      await db.transaction((tx) =>
        putPending(tx, memory, { source: "person", taskId: null, runId: null, now: now() }),
      );
      const ids = await deliverEntries(db, { hivemind, deadlineMs, now: now() });
      return get(ids.get(memory.id) ?? memory.id);
    },
    find: async (request) => {
      const found = await findTyped(
        request,
        (asked) => backend.find({ ...asked, now: now(), abstain: false }, deadlineMs),
        ({ memory }) => memory.id,
      );
      const records = await view(found.map(({ memory }) => memory));
      return found.flatMap(({ score, parts }, at) => {
        const record = records[at];
        return record ? [{ record, score, parts }] : [];
      });
    },
    get,
    history: async (id) => {
      const record = await get(id);
      return db === null
        ? { record, decision: null, uses: [] }
        : { record, ...(await historyOf(db, record)) };
    },
    remove: async (id) => {
      // First: a delivery that is under way leaves it out then.
      await db?.transaction((tx) => markEntries(tx, [id], "local", { now: now() }));
      return (await backend.remove([id], deadlineMs)) > 0;
    },
    validate: async (id) => {
      await get(id);
      await backend.refresh(id, now(), deadlineMs);
      return get(id);
    },
    count: () => backend.count(deadlineMs),
    toJson: recordJson,
  };
}

/** Returns what a person stores as a record. The same text again has the same id. */
function recordOf(
  { text, tags }: { readonly text: string; readonly tags: readonly string[] },
  origin: ProjectOrigin,
  now: Date,
): SharedMemory {
  const clean = (part: string): string => oneLine(withoutPrivateData(part, origin));
  const content = clip(clean(text), contentChars);
  const tidy = tags.map((tag) => tagOf(clean(withoutQuotes(tag)))).filter(Boolean);
  return {
    id: idOf([origin.id, "stored", content]),
    type: "learning",
    title: "",
    content,
    tags: [...new Set(tidy)].slice(0, maxTags),
    project: origin.id,
    projectName: origin.name,
    signature: null,
    createdAt: now.toISOString(),
  };
}
