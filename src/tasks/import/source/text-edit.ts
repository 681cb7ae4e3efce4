/** Replaces the text from `start` to before `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap, in any order; those of the same place in the given order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}
