import { clip, oneLine } from "../base/text.ts";
import type { Reader } from "../store/db.ts";
import { stripControls } from "../trust/terminal.ts";
import type { Task } from "./task.ts";
import { getTask } from "./task-store.ts";

/** One of the smaller tasks that a task is split into. */
export interface SplitPart {
  readonly title: string;
  readonly description?: string;
}

/** What an agent's `<subtasks>` come to: the parts to add, or why there will be none. */
export type SplitProposal = { readonly parts: readonly SplitPart[] } | { readonly refused: string };

/** More parts than this are a plan for a person, not a step out of a hole. */
const maxParts = 10;
const maxTitleChars = 200;
const maxDescriptionChars = 4000;
/** Parts of parts are the end: a task that is no smaller after that is not to be had by splitting. */
const maxDepth = 2;

/**
 * The split of `task` that a Markdown checklist proposes, checked: 2 to 10 unfinished parts, each with a title of its
 * own of at most 200 characters that is not that of `task` or of what it is itself a part of; lines indented below a
 * part are its description. A task that a person or a file brought may be split twice over. Reads only.
 */
export async function readSplit(q: Reader, task: Task, checklist: string): Promise<SplitProposal> {
  const above = await splitFrom(q, task);
  if (above.length >= maxDepth) {
    return { refused: `${task.id} is itself part of a part of a task; it is not split any further` };
  }
  const parts = readParts(checklist);
  const refused = problemOf(
    parts,
    [task, ...above].map(({ title }) => title),
  );
  return refused === null ? { parts } : { refused };
}

/** The tasks above that this one came from by splitting, nearest first: what a file brought came from none. */
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
    return `it names ${parts.length === 0 ? "no unfinished part" : "one part only"}; a split has 2 to ${maxParts}`;
  if (parts.length > maxParts) return `it names ${parts.length} parts; a split has 2 to ${maxParts}`;
  const seen = new Set<string>();
  const above = new Set(taken.map(compared));
  for (const { title } of parts) {
    const said = `"${clip(title, 60)}"`;
    const name = compared(title);
    if (name === "") return "one of its parts has no title";
    if (title.length > maxTitleChars) {
      return `the title ${said} has ${title.length} characters; ${maxTitleChars} are the most, details go on indented lines below it`;
    }
    if (above.has(name)) return `the part ${said} is called like the task that it is to be a part of`;
    if (seen.has(name)) return `two of its parts are called ${said}`;
    seen.add(name);
  }
  return null;
}

/** Titles that differ in case, spacing or punctuation alone name the same thing. */
function compared(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const item = /^([ \t]*)[-*+] \[([ xX])\](?: +(.*))?$/;

/** The unticked top items with the lines below each. Linear. */
function readParts(checklist: string): readonly Required<SplitPart>[] {
  const parts: { title: string; lines: string[]; ticked: boolean }[] = [];
  let margin: number | null = null;
  for (const raw of checklist.split("\n")) {
    const line = stripControls(raw).trimEnd();
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
  const told = lines.filter((line) => line !== "");
  const margin = Math.min(...told.map((line) => line.length - line.trimStart().length));
  return lines
    .map((line) => line.slice(margin))
    .join("\n")
    .trim();
}
