import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { fence } from "../../trust/fence.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { ListAround, ListedTask, Prerequisite, PromptRequest } from "../prompt.ts";
import { cleanBlock, codeSpan, inlineText } from "./inline-text.ts";

/** A longer specification is cut: the agent can read the file. */
const specChars = 20_000;
/** Of the list around the task, with the heading. */
const listChars = 1200;
const introductionChars = 300;
const parentChars = 300;
const titleChars = 100;
const maxFiles = 5;

/** The specification, and the list around the task, each only if there is one. */
export function contextSection(request: PromptRequest): SafeText {
  const { spec, seed } = request;
  const parts: SafeText[] = [];
  const list = listSection(request);
  if (list !== "") parts.push(list);
  if (spec?.trim()) parts.push(safe`### Specification\n\n${fence(cleanBlock(spec, specChars), seed)}`);
  return parts.length > 0 ? joinSafe([safe`## Context`, ...parts], "\n\n") : safe``;
}

interface ListLine {
  readonly text: SafeText;
  /** Lines with lower numbers have the room first. */
  readonly rank: number;
}

/** The list around the task in at most `listChars` characters: what the task depends on first, then the nearest tasks. */
function listSection({ list, parent, prerequisites }: PromptRequest): SafeText {
  const lead = leadLines(list, parent);
  const lines = listLines(list, prerequisites);
  if (lead.length === 0 && lines.length === 0) return safe``;
  const top = joinSafe([safe`### The List Around It`, "", ...lead], "\n");
  const more = (count: number): SafeText => safe`- and ${count} more`;
  let left = listChars - safe`## Context\n\n${top}\n\n`.length - more(lines.length).length;
  const kept = new Set<ListLine>();
  for (const line of lines.toSorted((a, b) => a.rank - b.rank)) {
    if (line.text.length + 1 > left) break;
    left -= line.text.length + 1;
    kept.add(line);
  }
  const shown = lines.filter((line) => kept.has(line)).map(({ text }) => text);
  if (shown.length < lines.length) shown.push(more(lines.length - shown.length));
  return joinSafe(
    [top, ...(shown.length > 0 ? [joinSafe(shown, "\n")] : [])],
    lead.length > 0 ? "\n\n" : "\n",
  );
}

function leadLines(list: ListAround | null, parent: PromptRequest["parent"]): readonly SafeText[] {
  const lines: SafeText[] = [];
  if (list?.path) {
    const introduction = inlineText(list.introduction, introductionChars);
    const file = codeSpan(list.path, 200);
    lines.push(introduction ? safe`From ${file}: ${introduction}` : safe`From ${file}.`);
  }
  if (parent) {
    const about = [parent.title, parent.description].filter((text) => text.trim()).join(": ");
    const name = codeSpan(parent.id, 80);
    lines.push(safe`One part of ${name} ${inlineText(about, parentChars)}`);
  }
  return lines;
}

function listLines(list: ListAround | null, prerequisites: readonly Prerequisite[]): readonly ListLine[] {
  const { before = [], after = [] } = list ?? {};
  const needed = new Map(prerequisites.map((one) => [one.id, one]));
  const listed = new Set([...before, ...after].map(({ id }) => id));
  const others = prerequisites.filter(({ id }) => !listed.has(id));
  const line = (task: ListedTask, distance: number): ListLine => {
    const prerequisite = needed.get(task.id);
    return prerequisite
      ? { text: prerequisiteLine(prerequisite), rank: distance - 1000 }
      : { text: taskLine(task), rank: distance };
  };
  return [
    ...others.map((one, at) => ({ text: prerequisiteLine(one), rank: others.length - at - 1000 })),
    ...before.map((task, at) => line(task, before.length - at)),
    ...(before.length + after.length > 0 ? [{ text: safe`- this task`, rank: 0 }] : []),
    ...after.map((task, at) => line(task, at + 1)),
  ];
}

function taskLine({ id, title, status, commit }: ListedTask): SafeText {
  return safe`- ${codeSpan(id, 80)} ${inlineText(title, titleChars)}: ${safeText(status.replaceAll("_", " "))}${commitOf(commit)}`;
}

function prerequisiteLine({ id, title, files, commit }: Prerequisite): SafeText {
  const named = files.slice(0, maxFiles).map((file) => inlineText(file, 80));
  const more = files.length > maxFiles ? safe` and ${files.length - maxFiles} more` : "";
  const did = files.length > 0 ? safe`; changed ${joinSafe(named, ", ")}${more}` : "";
  return safe`- ${codeSpan(id, 80)} ${inlineText(title, titleChars)}: done, needed here${did}${commitOf(commit)}`;
}

function commitOf(commit: string | null): SafeText {
  return commit ? safe` (commit ${safeText(commit.slice(0, 10))})` : safe``;
}
