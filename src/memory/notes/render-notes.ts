import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import type { NoteType } from "../../outcome/outcome.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import type { LeftOut } from "../port/memory-kind.ts";
import type { Note } from "./note-store.ts";

/** The order in which notes are listed (NOTE-3). */
export const noteTypes: readonly NoteType[] = ["stuck", "learning", "tip", "decision"];

interface NoteGroup {
  readonly type: NoteType;
  /** `STUCK`. */
  readonly title: SafeText;
  /** `  - [#3] text`, oldest first. */
  readonly lines: readonly SafeText[];
}

/** Groups notes by type; each is one line of at most `maxChars` characters of text. Groups without notes are omitted. */
export function groupNotes(notes: readonly Note[], maxChars: number): readonly NoteGroup[] {
  return noteTypes.flatMap((type) => {
    const lines = notes
      .filter((note) => note.type === type)
      .map(({ iteration, content }) => {
        return safe`  - [#${iteration}] ${safeLine(content, maxChars)}`;
      });
    return lines.length > 0 ? [{ type, title: safeText(type.toUpperCase()), lines }] : [];
  });
}

const promptLineChars = 500;

/** The newest notes of a session, and the number of all its notes. */
export interface SessionNotes {
  /** The last ones stay longest: oldest first, then the notes of a person that stay. */
  readonly notes: readonly Note[];
  readonly total: number;
}

/** Renders the last notes that fit into `room` characters, with a count of those left out; "" if none fits. */
export function renderNotes(all: SessionNotes, room: number): SafeText {
  const shown = countFitting(all, room);
  return shown === 0 ? safe`` : renderLast(all, shown);
}

const maxNamed = 20;

/** Names the notes that `renderNotes` leaves out of `room` characters, the newest first; those beyond 20 as one entry. */
export function notesLeftOut(all: SessionNotes, room: number): readonly LeftOut[] {
  const { notes, total } = all;
  const left = notes.slice(0, notes.length - countFitting(all, room)).toReversed();
  const named = left.slice(0, maxNamed).map(({ iteration, type, content }) => {
    const start = safeLine(content, 80);
    return { id: `note #${iteration}`, reason: `${type} “${start}”` };
  });
  const more = total - (notes.length - left.length) - named.length;
  return more > 0 ? [...named, { id: count(more, "older note"), reason: "older", more }] : named;
}

/** Returns how many of the last notes fit into `room` characters. */
function countFitting(all: SessionNotes, room: number): number {
  let [fits, tooMany] = [0, all.notes.length + 1];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (renderLast(all, middle).length <= room) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

function renderLast({ notes, total }: SessionNotes, shown: number): SafeText {
  const last = notes.slice(notes.length - shown);
  const byAge = last.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  const groups = groupNotes(byAge, promptLineChars);
  const text = joinSafe(
    groups.flatMap(({ title, lines }) => [safe`${title}:`, ...lines]),
    "\n",
  );
  const left = total - shown;
  return left > 0 ? safe`${text}\n(${count(left, "older note")} not shown)` : text;
}
