import { eraseEvents } from "../events/event-store.ts";
import { eraseMessages } from "../outcome/interruption-store.ts";
import { eraseOutputs } from "../outcome/outcome-store.ts";
import { rebuildIndex } from "../search/rebuild-index.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { eraseReasons } from "../tasks/graph/task-transitions.ts";
import { documentSources, loadFind, loadKindsForPeople } from "./kinds.ts";
import { exportHeader } from "./learnings/manage/read-export.ts";
import { exportLines } from "./learnings/manage/transfer-learnings.ts";
import {
  recallForSession as recallLearnings,
  recordSessionUse,
  type SessionMemory,
  type SessionRecall,
} from "./learnings/session-learnings.ts";
import { findTyped } from "./port/find-typed.ts";
import type { HivemindSettings } from "./port/hivemind-settings.ts";
import {
  counted,
  type FindRequest,
  type FoundMemories,
  type FoundMemory,
  type KindPurge,
  type KindStatistics,
  type PurgePlace,
  type PurgePlan,
  type PurgeTarget,
} from "./port/kind-commands.ts";
import { completeIndex } from "./repair-index.ts";
import { refreshContextFile } from "./structured-context/context-memory.ts";

/** The memories that a purge deletes and restores, or did. */
export interface Purge {
  readonly target: PurgeTarget;
  readonly parts: readonly PurgePart[];
}

/** One kind's part of a purge. */
interface PurgePart extends PurgePlan {
  /** Singular name: `failure report`. */
  readonly label: string;
  /** True: people can name a memory of this kind by its id. */
  readonly isNamed: boolean;
  /** The kind's fields of `ralph memory purge --json`. */
  readonly json: object;
}

/** The commands that act on every memory kind. */
export interface MemoryActions {
  /** Finds the memories that fit typed words, best first. Marks nothing as used. */
  find(request: Omit<FindRequest, "now" | "hivemind">): Promise<FoundMemories>;
  /** Returns the memories that fit a person's interactive session, and records their use if the store can be written. */
  recallForSession(request: Omit<SessionRecall, "now">): Promise<readonly SessionMemory[]>;
  /** Counts what is stored, kind by kind. */
  statistics(): Promise<readonly KindStatistics[]>;
  /** Passes each line of an export to `write` and waits for it; all lines show the store at one moment. Returns the number of learnings. */
  export(write: (line: string) => void | Promise<void>): Promise<number>;
  /** @throws RalphError `RALPH_MEMORY_UNKNOWN` for an id that no kind knows. */
  planPurge(target: PurgeTarget): Promise<Purge>;
  /** Deletes permanently, in one transaction. Returns what was deleted. */
  purge(plan: Purge): Promise<Purge>;
}

interface ActionSetup {
  readonly db: Db;
  /** The project's folder and that of its record files; absent: a purge deletes no files. */
  readonly recordFiles?: Omit<PurgePlace, "runId">;
  readonly now: () => Date;
  /** The memory that projects share, where searches read it too; absent or null: they do not. */
  readonly hivemind?: HivemindSettings | null;
}

/** Opens the memory of a project for the commands that act on all kinds. */
export function openMemoryActions(setup: ActionSetup): MemoryActions {
  const { db, now, hivemind = null } = setup;
  return {
    find: async (request) => {
      await completeIndex(db);
      return findIn(db, { ...request, now: now(), hivemind });
    },
    recallForSession: (request) => recallForSession(db, { ...request, now: now() }),
    statistics: async () => {
      const counts: KindStatistics[] = [];
      for (const kind of await loadKindsForPeople()) {
        const own = await kind.statistics?.(db);
        if (own) counts.push(own);
      }
      return counts;
    },
    export: (write) => exportLearnings(db, write),
    planPurge: (target) => planPurge(db, target),
    purge: (plan) => applyPurge(setup, plan),
  };
}

async function recallForSession(db: Db, request: SessionRecall): Promise<readonly SessionMemory[]> {
  const found = await recallLearnings(db, request);
  const ids = found.map(({ id }) => id);
  // They are of use even where the store is locked or read-only.
  if (ids.length > 0)
    await db.transaction((tx) => recordSessionUse(tx, ids, request.now)).catch(() => undefined);
  return found;
}

async function findIn(q: Reader, request: FindRequest): Promise<FoundMemories> {
  let problem: string | null = null;
  const find = async (asked: Pick<FindRequest, "text" | "tags">): Promise<readonly FoundMemory[]> => {
    const own = await findInKinds(q, { ...request, ...asked });
    ({ problem } = own);
    return own.found;
  };
  const found = await findTyped(request, find, ({ id }) => id);
  return { found, problem };
}

/** How many of the results may come last because they are of other projects: a third, at most this number. */
const maxForeign = 3;

async function findInKinds(q: Reader, request: FindRequest): Promise<FoundMemories> {
  const results: FoundMemories[] = [];
  for (const find of await loadFind()) results.push(await find(q, request));
  const { limit } = request;
  const problem = results.find((own) => own.problem !== null)?.problem ?? null;
  const isLast = ({ ranksLast }: FoundMemory): boolean => ranksLast === true;
  const last = results.flatMap(({ found }) => found.filter(isLast));
  const first = mergeByScore(results.map(({ found }) => found.filter((one) => !isLast(one))));
  const kept = Math.min(
    last.length,
    Math.max(limit - first.length, Math.min(maxForeign, Math.floor(limit / 3))),
  );
  return { found: [...first.slice(0, limit - kept), ...last.slice(0, kept)], problem };
}

/** Merges lists by score without changing the order within one: a kind may rank its memories by more than the score. */
function mergeByScore(lists: readonly (readonly FoundMemory[])[]): readonly FoundMemory[] {
  const rest = lists.map((list) => [...list]);
  const merged: FoundMemory[] = [];
  for (;;) {
    const open = rest.filter((list) => list.length > 0);
    const best = open.toSorted(([a], [b]) => (b?.score ?? 0) - (a?.score ?? 0))[0]?.shift();
    if (!best) return merged;
    merged.push(best);
  }
}

async function exportLearnings(db: Db, write: Parameters<MemoryActions["export"]>[0]): Promise<number> {
  const view = await db.view();
  try {
    await write(JSON.stringify(exportHeader));
    let count = 0;
    for await (const line of exportLines(view)) {
      await write(line);
      count += 1;
    }
    return count;
  } finally {
    await view.close();
  }
}

function partOf({ label, toJson, isNamed = false }: KindPurge, plan: PurgePlan): PurgePart {
  return { ...plan, label, isNamed, json: toJson(plan) };
}

async function purges(): Promise<readonly { readonly purge: KindPurge; readonly isSearchable: boolean }[]> {
  const kinds = await loadKindsForPeople();
  return kinds.flatMap(({ purge, isSearchable }) => (purge ? [{ purge, isSearchable }] : []));
}

async function planPurge(q: Reader, target: PurgeTarget): Promise<Purge> {
  const parts: PurgePart[] = [];
  for (const { purge } of await purges()) parts.push(partOf(purge, await purge.plan(q, target)));
  return { target, parts };
}

async function applyPurge(setup: ActionSetup, { target, parts }: Purge): Promise<Purge> {
  const { db, recordFiles } = setup;
  const now = setup.now();
  const { runId } = target;
  const kinds = await purges();
  const sources = await documentSources();
  const place = recordFiles && { ...recordFiles, runId };
  const ids = parts.flatMap(({ erased }) => erased.map(({ id }) => id));
  if (place) for (const { purge } of kinds) await purge.removeFiles?.(db, place, ids);
  const purged = await db.transaction(async (tx) => {
    const done: PurgePart[] = [];
    let changesIndex = false;
    for (const [at, { purge, isSearchable }] of kinds.entries()) {
      const erased = await purge.erase(tx, parts[at] ?? counted(0), { runId, now });
      changesIndex ||= isSearchable && erased.count > 0;
      done.push(partOf(purge, erased));
    }
    // Removed documents leave their words in posting lists, those that were deleted by age too.
    if (changesIndex || runId !== null) await rebuildIndex(tx, sources);
    if (runId !== null) {
      const reasons = await eraseOutputs(tx, runId);
      await eraseMessages(tx, runId);
      await eraseEvents(tx, runId);
      await eraseReasons(tx, { runId, reasons }, now);
    }
    return { target, parts: done };
  });
  if (place) {
    for (const { purge } of kinds) await purge.writeFiles?.(db, place);
    await refreshContextFile(db, place.root);
  }
  return purged;
}
