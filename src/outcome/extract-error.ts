import { clip } from "../base/text.ts";
import { cleanOutput } from "./clean-output.ts";
import { findBlocks, isErrorLine, isForeignFrame, isLoudLine } from "./error-line.ts";
import { failingLines } from "./failing-lines.ts";

/** Shares of the limit for the last lines, for the headlines of errors, and for the context of each error. */
const tailShare = 0.12;
const headlineShare = 0.5;
const blockShare = 0.35;
/** Characters of `[… 12345 lines left out …]` and its line feed. */
const gapLength = 32;

/**
 * Extracts from a failing command's output what failed: compiler errors, names of failing tests, assertion diffs, and its
 * last lines, in order, at most `max` characters (UTF-16 units). Removes colour, progress, repeats and what passed;
 * `[… n lines left out …]` marks gaps. Linear in the output; never throws.
 */
export function extractError(output: string, max = 4000): string {
  const lines = failingLines(cleanOutput(output));
  const whole = lines.join("\n").trimEnd().replace(/^\n+/, "");
  if (whole.length <= max) return whole;
  const selection = startSelection(lines, max);
  takeTail(selection, max * tailShare);
  const blocks = findBlocks(lines);
  if (blocks.length > 0) {
    for (const { heading, headline } of blocks) selection.take([...heading, headline], max * headlineShare);
    for (const { context } of blocks) selection.take(context, max, max * blockShare);
  } else {
    const loud = lines.flatMap((line, index) => (isLoudLine(line) ? [index] : []));
    for (const index of loud.slice(0, 60)) selection.take([index], max * headlineShare);
    takeTail(selection, max);
  }
  return render(lines, selection.taken, max);
}

interface Selection {
  readonly lines: readonly string[];
  /** Indexes of the selected lines, most important first. */
  readonly taken: number[];
  /** Adds the `indexes` that fit: at most `total` characters in all and `part` characters in this call. */
  take(indexes: readonly number[], total: number, part?: number): void;
}

function startSelection(lines: readonly string[], max: number): Selection {
  const taken: number[] = [];
  const known = new Set<number>();
  let used = gapLength;
  return {
    lines,
    taken,
    take(indexes, total, part = total) {
      const limit = Math.min(total, used + part, max);
      for (const index of indexes) {
        const line = lines[index] ?? "";
        const joins = known.has(index - 1) || known.has(index + 1);
        const cost = line.length + 1 + (joins ? 0 : gapLength);
        if (known.has(index) || used + cost > limit) continue;
        known.add(index);
        taken.push(index);
        used += cost;
      }
    },
  };
}

/** Adds lines from the end backwards, at most `room` characters. */
function takeTail({ lines, take }: Selection, room: number): void {
  let used = 0;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    if (line.trim() === "" || isForeignFrame(line)) continue;
    used += line.length + 1;
    if (used > room) return;
    take([index], Number.MAX_SAFE_INTEGER);
  }
}

function render(lines: readonly string[], taken: readonly number[], max: number): string {
  for (let keep = taken.length; keep > 0; keep -= 1) {
    const text = joined(lines, taken.slice(0, keep));
    if (text.length <= max) return text;
  }
  return clip(lines.findLast((line) => isErrorLine(line)) ?? lines.at(-1) ?? "", max);
}

function joined(lines: readonly string[], indexes: readonly number[]): string {
  const out: string[] = [];
  let next = 0;
  for (const index of [...indexes.toSorted((a, b) => a - b), lines.length]) {
    const left = lines.slice(next, index).filter((line) => line.trim() !== "").length;
    if (left > 0) out.push(`[… ${left} ${left === 1 ? "line" : "lines"} left out …]`);
    if (index < lines.length) out.push(lines[index] ?? "");
    next = index + 1;
  }
  return out.join("\n");
}
