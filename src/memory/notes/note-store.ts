import { createHash } from "node:crypto";
import type { AttemptRef } from "../../base/attempt-ref.ts";
import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { RedactedText, SafeText } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import type { NoteType } from "../../outcome/outcome.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow, readNumber } from "../../store/port/rows.ts";

export interface Note {
  readonly id: string;
  readonly session: RedactedText;
  /** Number within the session, over all its runs; 0: a person's note. */
  readonly iteration: number;
  readonly type: NoteType;
  readonly content: RedactedText;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** An iteration's place in its named session. */
export interface SessionIteration {
  readonly session: RedactedText;
  readonly number: number;
}

interface NewNote {
  readonly session: RedactedText;
  readonly iteration: number;
  readonly type: NoteType;
  readonly text: SafeText;
  readonly runId: string | null;
  readonly iterationId: string | null;
}

/** Maximum length of a note in characters; the rest is cut. */
const maxChars = 2000;
const maxPerIteration = 50;

/**
 * Appends a note. Its content is stored once per content hash. A repeated note of one iteration is not
 * stored again: the existing one is returned.
 *
 * @throws RalphError `RALPH_NOTE_LIMIT` after 50 notes in one iteration, `RALPH_USAGE` for an empty text.
 */
export async function insertNote(tx: Tx, note: NewNote, now: Date): Promise<Note> {
  const content = clip(note.text.trim(), maxChars);
  if (content === "") throw new RalphError("RALPH_USAGE", "the note is empty", { hint: "give it a text" });
  const { session, iteration, type, runId, iterationId } = note;
  const hash = createHash("sha256").update(content).digest("hex");
  if (iterationId !== null) {
    const [mine, same] = [await ofIteration(tx, iterationId), { hash, type }];
    const known = mine.find((one) => one.hash === same.hash && one.type === same.type);
    if (known) return { id: known.id, session, iteration, type, content, createdAt: known.createdAt };
    if (mine.length >= maxPerIteration) {
      throw new RalphError("RALPH_NOTE_LIMIT", `limit reached: ${maxPerIteration} notes per iteration`);
    }
  }
  const row = {
    id: newId("n", 5),
    session,
    iteration,
    type,
    content_hash: hash,
    created_at: now.toISOString(),
    run_id: runId,
    iteration_id: iterationId,
  };
  await tx.run("INSERT INTO note_contents (hash, content) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", [
    hash,
    content,
  ]);
  await insertRow(tx, "notes", row);
  await record(tx, { type: "note.added", runId, data: { id: row.id, session, iteration, type } }, now);
  return { id: row.id, session, iteration, type, content, createdAt: row.created_at };
}

interface StoredNote {
  readonly id: string;
  readonly hash: string;
  readonly type: string;
  readonly createdAt: string;
}

async function ofIteration(q: Reader, iterationId: string): Promise<readonly StoredNote[]> {
  return q.all<StoredNote>(
    `SELECT id, content_hash AS hash, type, created_at AS "createdAt" FROM notes WHERE iteration_id = ?`,
    [iterationId],
  );
}

interface NumberedIteration {
  readonly iterationId: string;
  readonly session: RedactedText;
}

/** Gives an iteration the session's next number. */
export async function numberIteration(tx: Tx, { iterationId, session }: NumberedIteration): Promise<void> {
  await tx.run(
    `INSERT INTO note_iterations (iteration_id, session, number)
     SELECT ?, ?, COALESCE(MAX(number), 0) + 1 FROM note_iterations WHERE session = ?
     ON CONFLICT (iteration_id) DO NOTHING`,
    [iterationId, session, session],
  );
}

/** Returns an iteration's session and number; undefined for one that began before notes existed. */
export async function sessionIteration(
  q: Reader,
  iterationId: string,
): Promise<SessionIteration | undefined> {
  const row = await q.get<SessionIteration>(
    "SELECT session, number FROM note_iterations WHERE iteration_id = ?",
    [iterationId],
  );
  return row && { session: row.session, number: Number(row.number) };
}

/** One judged iteration of a session. */
export interface SessionAttempt extends Pick<AttemptRef, "taskId" | "attempt"> {
  /** Number within the session, over all its runs. */
  readonly number: number;
  readonly outcome: string;
  /** Why it has this outcome; null where no reason was stored. */
  readonly reason: string | null;
}

/** Returns the newest `limit` judged iterations of a session, oldest first. */
export async function newestAttempts(
  q: Reader,
  session: string,
  limit: number,
): Promise<readonly SessionAttempt[]> {
  const rows = await q.all<SessionAttempt>(
    `SELECT n.number, o.task_id AS "taskId", o.attempt_number AS "attempt", o.outcome, o.reason
     FROM note_iterations n JOIN iteration_outcomes o ON o.iteration_id = n.iteration_id
     WHERE n.session = ? ORDER BY n.number DESC LIMIT ?`,
    [session, limit],
  );
  return rows
    .toReversed()
    .map((row) => ({ ...row, number: Number(row.number), attempt: Number(row.attempt) }));
}

interface NoteFilter {
  readonly session: string;
  readonly type?: NoteType;
  /** True: only notes of people. */
  readonly byPerson?: boolean;
  readonly limit: number;
}

/** Returns the newest `limit` notes of a session, oldest first. */
export async function newestNotes(
  q: Reader,
  { session, type, byPerson = false, limit }: NoteFilter,
): Promise<readonly Note[]> {
  const rows = await q.all<Note>(
    `SELECT n.id, n.session, n.iteration, n.type, c.content, n.created_at AS "createdAt"
     FROM notes n JOIN note_contents c ON c.hash = n.content_hash
     WHERE n.session = ?${type === undefined ? "" : " AND n.type = ?"}${byPerson ? " AND n.iteration = 0" : ""}
     ORDER BY n.created_at DESC, n.iteration DESC, n.id DESC LIMIT ?`,
    [session, ...(type === undefined ? [] : [type]), limit],
  );
  return rows.toReversed().map((row) => ({ ...row, iteration: Number(row.iteration) }));
}

export async function countNotesOfRun(q: Reader, runId: string): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM notes WHERE run_id = ?", [runId]);
}

/** Permanently deletes a run's notes, and their contents where no other note has the same. Returns the number. */
export async function eraseNotes(tx: Tx, runId: string): Promise<number> {
  const gone = await tx.all<{ id: string; hash: string }>(
    "SELECT id, content_hash AS hash FROM notes WHERE run_id = ?",
    [runId],
  );
  await tx.run("DELETE FROM notes WHERE run_id = ?", [runId]);
  for (const hash of new Set(gone.map((note) => note.hash))) {
    await tx.run(
      "DELETE FROM note_contents WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM notes WHERE content_hash = ?)",
      [hash, hash],
    );
  }
  return gone.length;
}
