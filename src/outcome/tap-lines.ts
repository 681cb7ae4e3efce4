import { indentOf } from "./indent.ts";

const version = /^TAP version \d/;
const chatter =
  /^TAP version \d|^\s*# Subtest: |^\s*1\.\.\d+$|^# (?:tests|suites|pass|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const passed = /^\s*ok \d+\b/;
const start = /^\s*---$/;
const end = /^\s*\.\.\.$/;
/** Entries of a failure that add nothing to its message. Other codes and names do: `SyntaxError`, `ERR_MODULE_NOT_FOUND`. */
const kind =
  /^\s*(?:(?:duration_ms|type|failureType|operator): |code: 'ERR_(?:TEST_FAILURE|ASSERTION)'$|name: 'AssertionError'$)/;
const value = /^\s*(?:expected|actual):/;
/** The message that node:test writes itself states both values. */
const statesBoth = /^\s*Expected (?:values|"actual")/;

/**
 * Returns the lines of a TAP output without passed tests, plans and totals. Of the diagnosis of a failure the message,
 * the place and the values stay, each once. Other outputs are returned as they are.
 */
export function withoutTapNoise(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => version.test(line))) return lines;
  const kept: string[] = [];
  let afterPassed = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const close = start.test(line) ? closingOf(lines, at) : -1;
    if (close > at) {
      if (!afterPassed) kept.push(...diagnosis(lines.slice(at + 1, close)));
      at = close;
      continue;
    }
    afterPassed = passed.test(line);
    if (!afterPassed && !chatter.test(line)) kept.push(line);
  }
  return kept;
}

const maxDiagnosis = 400;

/** Returns the index of the line that ends the diagnosis; -1 if it has no end. */
function closingOf(lines: readonly string[], opening: number): number {
  const indent = indentOf(lines[opening] ?? "");
  for (let at = opening + 1; at < lines.length && at < opening + maxDiagnosis; at += 1) {
    if (end.test(lines[at] ?? "") && indentOf(lines[at] ?? "") === indent) return at;
  }
  return -1;
}

function diagnosis(block: readonly string[]): readonly string[] {
  if (block.some((line) => line.includes("failureType: 'subtestsFailed'"))) return [];
  const stated = block.some((line) => statesBoth.test(line));
  const kept: string[] = [];
  let droppedIndent = Number.POSITIVE_INFINITY;
  for (const line of block) {
    if (line.trim() !== "" && indentOf(line) <= droppedIndent) {
      const dropped = kind.test(line) || (stated && value.test(line));
      droppedIndent = dropped ? indentOf(line) : Number.POSITIVE_INFINITY;
      if (dropped) continue;
    }
    if (droppedIndent === Number.POSITIVE_INFINITY) kept.push(line);
  }
  return kept;
}
