import { clip, count, oneLine } from "../../base/text.ts";
import type { NoteType } from "../../outcome/outcome.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Note } from "./note-store.ts";

/** The order in which notes are listed (NOTE-3). */
export const noteTypes: readonly NoteType[] = ["stuck", "learning", "tip", "decision"];

interface NoteGroup {
  readonly type: NoteType;
  /** `STUCK`. */
  readonly title: string;
  /** `  - [#3] text`, oldest first. */
  readonly lines: readonly string[];
}

/** Groups notes by type; each is one line of at most `maxChars` characters of text. Groups without notes are omitted. */
export function groupNotes(notes: readonly Note[], maxChars: number): readonly NoteGroup[] {
  return noteTypes.flatMap((type) => {
    const lines = notes
      .filter((note) => note.type === type)
      .map(({ iteration, content }) => {
        return `  - [#${iteration}] ${clip(oneLine(stripControls(redact(content))), maxChars)}`;
      });
    return lines.length > 0 ? [{ type, title: type.toUpperCase(), lines }] : [];
  });
}

const promptLineChars = 500;

/** Renders the newest notes that fit into `room` characters, with a count of those left out; "" if none fits. */
export function renderNotes(notes: readonly Note[], total: number, room: number): string {
  let [fits, tooMany] = [0, notes.length + 1];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (renderNewest(notes, total, middle).length <= room) fits = middle;
    else tooMany = middle;
  }
  return fits === 0 ? "" : renderNewest(notes, total, fits);
}

function renderNewest(notes: readonly Note[], total: number, shown: number): string {
  const groups = groupNotes(notes.slice(notes.length - shown), promptLineChars);
  const text = groups.flatMap(({ title, lines }) => [`${title}:`, ...lines]).join("\n");
  const left = total - shown;
  return left > 0 ? `${text}\n(${count(left, "older note")} not shown)` : text;
}
