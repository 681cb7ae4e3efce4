/** A change at one place of a text: `before` was replaced by `after`. Stored to undo the change. */
export interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** A text with an added entry. */
export interface Edited {
  readonly text: string;
  readonly hunk: Hunk;
}

/** Adds one named entry to the text of a configuration file, and removes it. All other bytes stay. */
export interface EntryFormat {
  /** Returns the entry's value; undefined: it is not there. Throws `EntryRefused` when the text cannot be read. */
  read(text: string): unknown;
  /** Adds the entry. Throws `EntryRefused` when that is not possible without changing anything else. */
  add(text: string, value: object): Edited;
  /** Removes the entry. Throws `EntryRefused` as `add` does. */
  remove(text: string): string;
  /** Returns true when `after` has the content of `text` without the entry; an empty section counts as absent. */
  isWithout(text: string, after: string): boolean;
  /** Returns the entry as a person would write it. */
  render(value: object): string;
}

/** Why ralph cannot edit a configuration file. */
export class EntryRefused extends Error {}

/** Replaces the only occurrence of `hunk.after`; undefined if there is none, or more than one. */
export function undoHunk(text: string, { before, after }: Hunk): string | undefined {
  const at = text.indexOf(after);
  if (after === "" || at === -1 || text.includes(after, at + 1)) return undefined;
  return text.slice(0, at) + before + text.slice(at + after.length);
}

/** Returns the line ending of a text: that of its first line, else `\n`. */
export function lineEnding(text: string): "\n" | "\r\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}
