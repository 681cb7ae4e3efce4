import { indentOf, isForeignFrame } from "./error-line.ts";

/** The place in its own source at which Node prints an uncaught error: two lines of code follow. */
const nodeSource = /^node:[\w/]+:\d+$/;
const goFrame = /^\t\S+\.go:\d+(?: \+0x[0-9a-f]+)?$/;
const foreignGo =
  /\/src\/(?:bufio|bytes|context|database|encoding|fmt|html|internal|io|net|os|reflect|runtime|sort|strings|sync|syscall|testing|text|time)\/|\/pkg\/mod\//;
const rustCall = /^\s+\d+: \S/;
const rustPlace = /^\s+at (?:\/rustc\/|.*\/\.cargo\/registry\/|.*\/rustlib\/)/;
const pythonFrame = /^\s*File "/;
const pytestRule = /^_ _ _|^_{3,} \S|^={3,} /;
/** pytest names the place of a frame at the end of its source. */
const pytestPlace = /^\S*(?:site-packages|dist-packages|\/lib\/python[\d.]+)\/\S+:\d+: /;

/** Returns the lines without the stack frames of dependencies and runtimes, in several languages. */
export function withoutForeignFrames(lines: readonly string[]): readonly string[] {
  return withoutPytestFrames(
    lines.some((line) => pytestPlace.test(line)),
    withoutPlainFrames(lines),
  );
}

function withoutPlainFrames(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    const skipped = frameLines(lines, at, next);
    if (skipped > 0) at += skipped - 1;
    else if (goFrame.test(next)) kept.push(line.replace(/\((?:0x|\{).*\)$/, "(…)"));
    else kept.push(goFrame.test(line) ? line.replace(/ \+0x[0-9a-f]+$/, "") : line);
  }
  return kept;
}

/** Returns the number of lines of the foreign frame that begins at `at`; 0 if none does. */
function frameLines(lines: readonly string[], at: number, next: string): number {
  const line = lines[at] ?? "";
  if (goFrame.test(next) && foreignGo.test(next)) return 2;
  if (rustCall.test(line) && rustPlace.test(next)) return 2;
  if (nodeSource.test(line)) return lines[at + 2]?.trim() === "^" ? 3 : 1;
  if (!isForeignFrame(line)) return 0;
  return pythonFrame.test(line) ? 1 + deeperLines(lines, at) : 1;
}

function deeperLines(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? "");
  const rest = lines.slice(at + 1, at + 5);
  const other = rest.findIndex((line) => indentOf(line) <= indent || line.trim() === "");
  return other < 0 ? rest.length : other;
}

/** Of a library's frame pytest prints the source; only the lines with the error stay. */
function withoutPytestFrames(isFound: boolean, lines: readonly string[]): readonly string[] {
  if (!isFound) return lines;
  const kept: string[] = [];
  let frame: string[] = [];
  const endFrame = (): void => {
    const isForeign = frame.some((line) => pytestPlace.test(line));
    for (const one of isForeign ? frame.filter((line) => /^E\s/.test(line)) : frame) kept.push(one);
    frame = [];
  };
  for (const line of lines) {
    if (pytestRule.test(line)) {
      endFrame();
      if (!line.startsWith("_ _ _")) kept.push(line);
    } else frame.push(line);
  }
  endFrame();
  return kept;
}
