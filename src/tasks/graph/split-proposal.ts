import { clip, oneLine } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { Task } from "./task.ts";
import { getTask } from "./task-store.ts";

/** One of the smaller tasks that a task is split into. */
export interface SplitPart {
  readonly title: string;
  readonly description?: string;
}

/** The parts that an agent's `<subtasks>` propose, or the reason why the proposal is rejected. */
export type SplitProposal = { readonly parts: readonly SplitPart[] } | { readonly refused: string };

/** A larger split is a plan that a person should review. */
const maxParts = 10;
const maxTitleChars = 200;
const maxDescriptionChars = 4000;
/** Maximum split depth. */
const maxDepth = 2;

/**
 * Reads and checks the split of `task` that a Markdown checklist proposes: 2 to 10 unfinished parts, each with a unique
 * title of at most 200 characters that differs from those of `task` and of the tasks it was split from. Lines indented
 * below a part are its description. A task of a person or a file can be split down to `maxDepth` levels. Writes nothing.
 */
export async function readSplit(q: Reader, task: Task, checklist: string): Promise<SplitProposal> {
  const above = await splitFrom(q, task);
  if (above.length >= maxDepth) {
    return { refused: `${task.id} is already the result of ${maxDepth} splits; it cannot be split further` };
  }
  const parts = readParts(checklist);
  const refused = problemOf(
    parts,
    [task, ...above].map(({ title }) => title),
  );
  return refused === null ? { parts } : { refused };
}

/** Returns the tasks that this one was split from, nearest first; none for an imported task. */
async function splitFrom(q: Reader, task: Task): Promise<readonly Task[]> {
  const above: Task[] = [];
  let child = task;
  while (child.source === null && child.parentId !== null && above.length < maxDepth) {
    const parent = await getTask(q, child.parentId);
    if (!parent) break;
    above.push(parent);
    child = parent;
  }
  return above;
}

function problemOf(parts: readonly Required<SplitPart>[], taken: readonly string[]): string | null {
  if (parts.length < 2)
    return `it lists ${parts.length === 0 ? "no unfinished part" : "only one part"}; a split has 2 to ${maxParts}`;
  if (parts.length > maxParts) return `it lists ${parts.length} parts; a split has 2 to ${maxParts}`;
  const seen = new Set<string>();
  const above = new Set(taken.map(normalized));
  for (const { title } of parts) {
    const quoted = `"${clip(title, 60)}"`;
    const name = normalized(title);
    if (name === "") return "one of its parts has no title";
    if (title.length > maxTitleChars) {
      return `the title ${quoted} has ${title.length} characters; the limit is ${maxTitleChars}. Put details on indented lines below it`;
    }
    if (above.has(name))
      return `the part ${quoted} has the same title as the task that it would be a part of`;
    if (seen.has(name)) return `two of its parts have the title ${quoted}`;
    seen.add(name);
  }
  return null;
}

/** Normalizes a title: those that differ only in case, spacing or punctuation are the same. */
function normalized(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const item = /^([ \t]*)[-*+] \[([ xX])\](?: ([\s\S]*))?$/;

/** Returns the unticked top-level items with the lines below each, in linear time. */
function readParts(checklist: string): readonly Required<SplitPart>[] {
  const parts: { title: string; lines: string[]; ticked: boolean }[] = [];
  let margin: number | null = null;
  for (const raw of checklist.split("\n")) {
    const line = safeText(raw).trimEnd();
    const [, indent = "", tick = " ", title = ""] = item.exec(line) ?? [];
    const isItem = item.test(line);
    if (isItem && (margin === null || widthOf(indent) <= margin)) {
      margin ??= widthOf(indent);
      parts.push({ title: oneLine(title), lines: [], ticked: tick !== " " });
    } else parts.at(-1)?.lines.push(line);
  }
  return parts
    .filter(({ ticked }) => !ticked)
    .map(({ title, lines }) => ({ title, description: clip(dedent(lines), maxDescriptionChars) }));
}

function widthOf(indent: string): number {
  return indent.replaceAll("\t", "    ").length;
}

function dedent(lines: readonly string[]): string {
  const filled = lines.filter((line) => line !== "");
  const margin = filled.reduce(
    (least, line) => Math.min(least, line.length - line.trimStart().length),
    Number.POSITIVE_INFINITY,
  );
  return lines
    .map((line) => line.slice(margin))
    .join("\n")
    .trim();
}
