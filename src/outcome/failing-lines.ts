import { isPassedLine, runnerChatter, withoutDuration } from "./passed-lines.ts";
import { stateAssertionsOnce } from "./single-assertion.ts";
import { withoutForeignFrames } from "./stack-frames.ts";
import { withoutTapNoise } from "./tap-lines.ts";

/**
 * Returns the lines of a cleaned output that concern what failed (PROMPT-6): without passed tests, stack frames of
 * dependencies and runtimes, durations, and repeated statements of one assertion. If nothing would be left, all lines.
 * Applying it twice changes nothing more.
 */
export function failingLines(lines: readonly string[]): readonly string[] {
  const isChatter = runnerChatter(lines);
  const failing = withoutTapNoise(lines)
    .filter((line) => !isPassedLine(line) && !isChatter(line))
    .map(withoutDuration);
  const kept = singleBlankLines(stateAssertionsOnce(withoutForeignFrames(failing)));
  return kept.some((line) => line.trim() !== "") ? kept : lines;
}

function singleBlankLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line, at) => line.trim() !== "" || (lines[at - 1] ?? "").trim() !== "");
}
