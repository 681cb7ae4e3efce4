import { firstChars } from "../base/text.ts";
import { withoutControls } from "../trust/safe-text.ts";
import { isErrorLine } from "./error-line.ts";

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
