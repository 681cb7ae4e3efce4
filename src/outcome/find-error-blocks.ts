import { isErrorLine, isForeignFrame } from "./error-line.ts";

/** An error in an output: indexes of its lines. */
interface ErrorBlock {
  /** What it stands under: the file of a lint error, the suite of a test. */
  readonly heading: readonly number[];
  readonly headline: number;
  /** What follows and explains it: a diff, a code frame, a stack in the project's own files. */
  readonly context: readonly number[];
}

const maxContext = 30;
/** Lines that may stand between two that clearly belong to the error: the text of an assertion, say. */
const maxBridge = 8;

const headingReach = 20;

const goesOn =
  /^(?:[+-]|\s*(?:[|│╭╰└├┌─^~]|\d+ |> |-->|= |at |❯ |E\b|>\s*\d+ *\|)|\s*(?:expected|received|actual|got|want|left|right|caused by|note|help|symbol|location|found)\b)/i;

/** The errors of an output in their order; one that is printed twice is found once. */
export function findBlocks(lines: readonly string[]): readonly ErrorBlock[] {
  const blocks: ErrorBlock[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < lines.length; at += 1) {
    if (!isErrorLine(lines[at] ?? "")) continue;
    const context = contextOf(lines, at);
    const heading = headingOf(lines, at);
    const key = [...heading, at, ...context].map((index) => lines[index]?.trim()).join("\n");
    if (!seen.has(key)) blocks.push({ heading, headline: at, context });
    seen.add(key);
    at = context.at(-1) ?? at;
  }
  return blocks;
}

function contextOf(lines: readonly string[], headline: number): readonly number[] {
  const indent = indentOf(lines[headline] ?? "");
  const context: number[] = [];
  let unsure: number[] = [];
  for (let at = headline + 1; at < lines.length && at <= headline + maxContext; at += 1) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || isForeignFrame(line)) continue;
    const deeper = indentOf(line) > indent;
    if (!deeper && isErrorLine(line)) break;
    unsure.push(at);
    if (deeper || goesOn.test(line) || at === headline + 1) {
      context.push(...unsure);
      unsure = [];
    }
    if (unsure.length > maxBridge) break;
  }
  return context;
}

function headingOf(lines: readonly string[], headline: number): readonly number[] {
  const indent = indentOf(lines[headline] ?? "");
  if (indent === 0) return [];
  for (let at = headline - 1; at >= 0 && at >= headline - headingReach; at -= 1) {
    const line = lines[at] ?? "";
    if (line.trim() !== "" && indentOf(line) < indent) return [at];
  }
  return [];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
