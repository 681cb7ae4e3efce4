import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { readEnv } from "../../../config/environment.ts";
import { safeLine, safeText } from "../../../trust/safe-text.ts";
import type { FileChange } from "./person-file.ts";

/** Unchanged lines that are shown around a change. */
const contextLines = 2;
const maxLineChars = 400;

/** Renders the changes for a person: each file with its removed and added lines. */
export function renderChanges(changes: readonly FileChange[]): SafeText {
  return joinSafe(changes.map(renderChange), "\n");
}

function renderChange({ path, before, after }: FileChange): SafeText {
  const name = safeLine(shortPath(path));
  if (after === null) return safe`delete ${name}`;
  const lines = before === null ? added(after) : difference(before, after);
  return joinSafe([safe`${before === null ? "create" : "change"} ${name}`, ...lines], "\n");
}

function added(text: string): readonly SafeText[] {
  return linesOf(text).map((line) => safe`  + ${line}`);
}

function difference(before: string, after: string): readonly SafeText[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = sharedLength(old, now);
  const end = sharedLength(old.slice(start).toReversed(), now.slice(start).toReversed());
  return [
    ...now.slice(Math.max(0, start - contextLines), start).map((line) => safe`    ${line}`),
    ...old.slice(start, old.length - end).map((line) => safe`  - ${line}`),
    ...now.slice(start, now.length - end).map((line) => safe`  + ${line}`),
    ...now
      .slice(now.length - end)
      .slice(0, contextLines)
      .map((line) => safe`    ${line}`),
  ];
}

function sharedLength(a: readonly SafeText[], b: readonly SafeText[]): number {
  const different = a.findIndex((line, at) => line !== b[at]);
  return different === -1 ? a.length : different;
}

function linesOf(text: string): readonly SafeText[] {
  const lines = safeText(text.replace(/\r?\n$/, "").replaceAll("\r\n", "\n")).split("\n");
  return lines.map((line) => clip(line, maxLineChars));
}

/** Returns the path with `~` for the user's home. */
function shortPath(path: string): string {
  const inside = relative(readEnv("HOME") || homedir(), path);
  return inside === "" || inside.startsWith("..") || inside === path ? path : `~${sep}${inside}`;
}
