/** A checkbox before the text of an item or heading. */
export interface Checkbox {
  /** The offset of the character between the brackets. */
  readonly box: number;
  /** The number of characters there; 0 for `[]`, which gets one when it is ticked. */
  readonly width: 0 | 1;
  readonly ticked: boolean;
  /** An asterisk follows, as in Kiro's lists. */
  readonly optional: boolean;
  /** The offset after the closing bracket. */
  readonly end: number;
}

/** Other tools write `-`, `/` or `~` for a task that is begun or queued: it is open. */
const markPattern = /^[ \txX~/-]?$/;
const boxPattern = /^\[([ \txX~/-]?)\](\*?)\s/;

/** Returns the checkbox at `start`; undefined without one, or if no text follows it before `end`. */
export function checkboxAt(text: string, start: number, end: number): Checkbox | undefined {
  const found = boxPattern.exec(text.slice(start, Math.min(end, start + 5)));
  const mark = found?.[1];
  if (mark === undefined) return undefined;
  const width = mark === "" ? 0 : 1;
  const optional = found?.[2] === "*";
  const after = start + 2 + width + (optional ? 1 : 0);
  if (text.slice(after, end).trim() === "") return undefined;
  return { box: start + 1, width, ticked: /[xX]/.test(mark), optional, end: after };
}

/** How the text after an item's marker, which is not a checkbox, resembles one; undefined if it does not. */
export function malformedBox(head: string): string | undefined {
  const found = /^\[([^[\]\n]{0,3})\]([^\n]?)/.exec(head);
  if (!found) return undefined;
  const [brackets, inside = "", after = ""] = found;
  const box = inside.slice(0, brackets.length);
  if (markPattern.test(box)) {
    if (head.slice(box.length + 2).trim() === "") return "the item is empty";
    return after === "(" || after === "[" ? undefined : `a space is missing after [${box}]`;
  }
  // `[1]` is a reference, `[a](b)` a link, `[API]` a word.
  const isOther = /^\d+$/.test(box) || /^[([:]$/.test(after) || /^(?=..)[^\s]+$/.test(box.trim());
  return isOther ? undefined : `[${box}] is neither [ ] nor [x]`;
}

/** Returns how a line of text, which is not an item, resembles one with a checkbox; undefined if it does not. */
export function malformedItem(line: string): string | undefined {
  if (/^[-*+]\[[ xX]?\]/.test(line)) return "a space is missing before [";
  return /^\[[ xX]\]\s+\S/.test(line) ? 'the marker "- " is missing before [' : undefined;
}
