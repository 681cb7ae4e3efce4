import type { EventType } from "../../../src/events/event.ts";
import { record } from "../../../src/events/event-store.ts";
import { addDocuments, removeDocuments } from "../../../src/search/index-documents.ts";
import type { Reader, Tx } from "../../../src/store/port/db.ts";
import { documentOf } from "./idea-source.ts";
import { type Idea, listIdeas } from "./read-ideas.ts";

interface Occasion {
  readonly runId: string | null;
  readonly now: Date;
}

/** The types that step 2 of docs/adding/memory-kind.md adds to `eventTypes`. */
const [written, purged] = ["idea.written", "idea.purged"] as readonly string[] as readonly [
  EventType,
  EventType,
];

/** Writes ideas with their event and their documents in the search index. */
export async function putIdeas(tx: Tx, ideas: readonly Idea[], { runId, now }: Occasion): Promise<void> {
  if (ideas.length === 0) return;
  for (const { id, text, taskId, createdAt, ...idea } of ideas) {
    const row = {
      ...{ id, text, task_id: taskId, run_id: idea.runId, created_at: createdAt },
      ...{ times_shown: idea.timesShown, archived_at: idea.archivedAt },
    };
    await tx.run(
      `INSERT INTO ideas (id, text, task_id, run_id, created_at, times_shown, archived_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET times_shown = excluded.times_shown, archived_at = excluded.archived_at`,
      Object.values(row),
    );
  }
  const archived = ideas.filter(({ archivedAt }) => archivedAt !== null);
  await removeDocuments(
    tx,
    "idea",
    archived.map(({ id }) => id),
  );
  await addDocuments(tx, ideas.filter((idea) => !archived.includes(idea)).map(documentOf));
  await record(tx, { type: written, runId, data: { ids: ideas.map(({ id }) => id) } }, now);
}

/** Deletes the ideas of a run permanently; returns them. */
export async function eraseIdeas(tx: Tx, { runId, now }: Occasion): Promise<readonly Idea[]> {
  const gone = (await listIdeas(tx)).filter((idea) => idea.runId === runId);
  await tx.run("DELETE FROM ideas WHERE run_id = ?", [runId]);
  if (gone.length > 0) await record(tx, { type: purged, runId }, now);
  return gone;
}

/** Returns the active ideas that repeat an older one, word for word. */
export async function repeatedIdeas(q: Reader): Promise<readonly Idea[]> {
  const active = (await listIdeas(q)).filter(({ archivedAt }) => archivedAt === null);
  return active.filter(({ text }, at) => active.findIndex((older) => older.text === text) < at);
}
