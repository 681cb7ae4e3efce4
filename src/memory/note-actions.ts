import { type RedactedText, type SafeText, safe } from "../base/safe-text.ts";
import { oneLine } from "../base/text.ts";
import type { NoteType } from "../outcome/outcome.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";
import { countNotes } from "./notes/count-notes.ts";
import {
  insertNote,
  type Note,
  newestAttempts,
  newestNotes,
  type SessionAttempt,
  sessionIteration,
} from "./notes/note-store.ts";
import { groupNotes, noteTypes } from "./notes/render-notes.ts";

export const noteTypeNames: readonly NoteType[] = noteTypes;

type NoteView = Note;

/** One type's notes as text lines. */
interface NoteLines {
  readonly type: NoteType;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Adds and lists the notes of one session; nothing edits or deletes them. */
export interface NoteActions {
  readonly session: string;
  add(type: NoteType, text: string): Promise<NoteView>;
  /** Returns the newest notes, oldest first. */
  list(type?: NoteType, limit?: number): Promise<readonly NoteView[]>;
  count(): Promise<number>;
}

interface NoteSetup {
  readonly db: Db;
  /** Used outside an iteration. */
  readonly session: RedactedText;
  /** The calling agent's iteration; null for a person. */
  readonly iteration: { readonly runId: string | null; readonly iterationId?: string } | null;
  readonly now: () => Date;
}

/** Opens the notes of the calling agent's session, else of `session`. A person's notes have iteration 0. */
export async function openNoteActions({ db, session, iteration, now }: NoteSetup): Promise<NoteActions> {
  const iterationId = iteration?.iterationId ?? null;
  const place = iterationId === null ? undefined : await sessionIteration(db, iterationId);
  const name = place?.session ?? session;
  const runId = iteration?.runId ?? null;
  return {
    session: name,
    add: (type, text) => {
      const where = { session: name, iteration: place?.number ?? 0, runId, iterationId };
      return db.transaction((tx) => insertNote(tx, { ...where, type, text: safeText(text) }, now()));
    },
    list: (type, limit = maxListed) =>
      newestNotes(db, { session: name, limit, ...(type === undefined ? {} : { type }) }),
    count: () => countNotes(db, name),
  };
}

const maxListed = 1000;

/** Reads the newest notes of a session, oldest first. */
export async function notesOfSession(
  q: Reader,
  session: string,
  limit: number,
): Promise<readonly NoteView[]> {
  return newestNotes(q, { session, limit });
}

/** Groups notes by type in NOTE-3's order, one line per note, free of control characters. */
export function noteLines(notes: readonly NoteView[]): readonly NoteLines[] {
  return groupNotes(notes, 2000);
}

/** `Note added: [tip] ` and the first 50 characters. */
export function noteConfirmation({ type, content }: Pick<NoteView, "type" | "content">): string {
  const line = oneLine(content);
  const characters = [...line];
  const preview = characters.length > 50 ? `${characters.slice(0, 50).join("")}...` : line;
  return `Note added: [${type}] ${preview}`;
}

/** Returns a session name that is safe to store and print. */
export function sessionName(name: string): SafeText {
  return safeLine(name, 200) || safe`default`;
}

/** Returns the session of an iteration; undefined for one that began before notes existed. */
export async function sessionNameOf(q: Reader, iterationId: string): Promise<RedactedText | undefined> {
  return (await sessionIteration(q, iterationId))?.session;
}

/** Reads the newest judged iterations of a session, oldest first. */
export async function attemptsOfSession(
  q: Reader,
  session: string,
  limit: number,
): Promise<readonly SessionAttempt[]> {
  return newestAttempts(q, session, limit);
}
