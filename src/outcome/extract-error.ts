import { clip, firstChars } from "../base/text.ts";
import { withoutControls } from "../trust/safe-text.ts";
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

/** Maximum characters of a line, so that a minified bundle or a data dump leaves room for the rest. */
const maxLineChars = 400;
/** Minimum run of lines that differ only in numbers to count as progress output. */
const progressRun = 4;

/** Returns the lines of a program's output without colour, overwritten progress and repeats. */
export function cleanOutput(output: string): readonly string[] {
  const lines: string[] = [];
  for (const raw of cursorMovesAsReturns(output).split("\n")) {
    lines.push(shorten(withoutControls(lastWritten(raw)).trimEnd()));
  }
  return collapseRepeats(lines);
}

/** Replaces sequences that move to the line's start or erase it by `\r`, which most progress bars use. */
function cursorMovesAsReturns(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
  return output.includes("\u001b") ? output.replace(/\u001b\[(?:[01]?G|2K)/g, "\r") : output;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

function shorten(line: string): string {
  return line.length <= maxLineChars
    ? line
    : `${firstChars(line, maxLineChars - 100)} … ${line.slice(-90).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

interface Run {
  readonly key: string;
  readonly line: string;
  readonly count: number;
}

function collapseRepeats(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let run: Run[] = [];
  const endRun = (): void => {
    const all = run.reduce((sum, part) => sum + part.count, 0);
    const parts = all >= progressRun && run.length > 1 ? [{ line: run.at(-1)?.line ?? "", count: all }] : run;
    for (const { line, count } of parts) kept.push(count > 1 && line !== "" ? `${line} … ×${count}` : line);
    run = [];
  };
  for (const line of lines) {
    const last = run.at(-1);
    if (last?.line === line) {
      run[run.length - 1] = { ...last, count: last.count + 1 };
      continue;
    }
    const key = isErrorLine(line) ? line : line.replace(/\d+/g, "#");
    if (last?.key !== key) endRun();
    run.push({ key, line, count: 1 });
  }
  endRun();
  return kept;
}
