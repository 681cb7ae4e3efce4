/** A change at one place of a text: `before` was replaced by `after`. Stored to undo the change. */
export interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** Returns the smallest change that makes `after` of `before`. */
export function hunkOf(before: string, after: string): Hunk {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}

/** Replaces the only occurrence of `hunk.after`; undefined if there is none, or more than one. */
export function undoHunk(text: string, { before, after }: Hunk): string | undefined {
  const at = text.indexOf(after);
  if (after === "" || at === -1 || text.includes(after, at + 1)) return undefined;
  return text.slice(0, at) + before + text.slice(at + after.length);
}
