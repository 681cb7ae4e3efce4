import { verificationFileWarnings } from "../src/outcome/verification-files.ts";

/** Returns what is reported of a file whose lines change from `before` to `after`; the diff has the whole file. */
export function warningsOfChange(
  path: string,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  let [head, tail] = [0, 0];
  const same = (a: number, b: number): boolean => before[a] !== undefined && before[a] === after[b];
  while (same(head, head)) head += 1;
  const last = (tail: number): boolean => same(before.length - 1 - tail, after.length - 1 - tail);
  while (tail < Math.min(before.length, after.length) - head && last(tail)) tail += 1;
  const body = [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
  const diff = `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,9 +1,9 @@\n${body.join("\n")}\n`;
  const start = `${path} was changed: `;
  return verificationFileWarnings([path], { diff }).map((text) => text.replace(start, ""));
}
