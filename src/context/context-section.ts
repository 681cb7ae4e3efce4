import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import { fence } from "../trust/fence.ts";
import { safeText } from "../trust/safe-text.ts";
import { cleanBlock, codeSpan, inlineText } from "./inline-text.ts";
import type { ListAround, ListedTask, OpenSpecChange, Prerequisite, PromptRequest } from "./prompt.ts";

/** A longer specification is cut: the agent can read the file. */
const specChars = 20_000;
/** Of the list around the task, with the heading. */
const listChars = 1200;
/** The introduction has this room; more where the lines leave it. */
const introductionChars = 300;
const parentChars = 300;
const titleChars = 100;
const maxFiles = 5;
/** Of a change's proposal and design together; the proposal may take half of it, and what the design leaves. */
const changeChars = 4000;

/** The specification, the change and the list around the task, each only if there is one. */
export function contextSection(request: PromptRequest): SafeText {
  const { change, spec, seed } = request;
  const parts: SafeText[] = [];
  const list = listSection(request);
  if (list !== "") parts.push(list);
  if (change) parts.push(changeSection(change, seed));
  if (spec?.trim()) parts.push(safe`### Specification\n\n${fence(cleanBlock(spec, specChars), seed)}`);
  return parts.length > 0 ? joinSafe([safe`## Context`, ...parts], "\n\n") : safe``;
}

/** The files of the change by their paths, and the beginnings of its proposal and design as data. */
function changeSection({ folder, proposal, design, specs }: OpenSpecChange, seed: string): SafeText {
  const texts = [
    { name: "proposal.md", text: cleanBlock(proposal, specChars) },
    { name: "design.md", text: cleanBlock(design, specChars) },
  ];
  const taken = texts.reduce((sum, { text }) => sum + Math.min(changeChars / 2, text.length), 0);
  const files = texts.flatMap(({ name, text }) => {
    if (text === "") return [];
    const shown = clip(text, changeChars - taken + Math.min(changeChars / 2, text.length));
    const path = codeSpan(`${folder}/${name}`, 200);
    return [{ shown, path: shown === text ? path : safe`${path} (cut; read the rest there)` }];
  });
  const paths = [...files.map(({ path }) => path), ...(specs ? [codeSpan(`${folder}/specs/`, 200)] : [])];
  const named = paths.length > 0 ? joinSafe(paths, ", ") : codeSpan(`${folder}/`, 200);
  const lead = safe`This task is part of ${named}.`;
  return joinSafe([safe`### The Change`, lead, ...files.map(({ shown }) => fence(shown, seed))], "\n\n");
}

interface ListLine {
  readonly text: SafeText;
  /** Lines with lower numbers have the room first. */
  readonly rank: number;
}

/** The list around the task, as data, in at most `listChars` characters: agents add tasks too. What the task depends on comes first, then the nearest tasks. */
function listSection({ list, parent, prerequisites, seed }: PromptRequest): SafeText {
  const lines = listLines(list, prerequisites);
  const about = parent ? [parentLine(parent)] : [];
  const taken = [...about, ...lines.map(({ text }) => text)].reduce((sum, { length }) => sum + length + 1, 0);
  const lead = [...sourceLine(list, listChars - headChars - taken), ...about];
  if (lead.length === 0 && lines.length === 0) return safe``;
  const heading = safe`### The List Around It`;
  const top = joinSafe(lead, "\n");
  const more = (count: number): SafeText => safe`- and ${count} more`;
  const around = safe`## Context\n\n${heading}\n\n${fence(top, seed)}\n\n`.length;
  let left = listChars - around - more(lines.length).length;
  const kept = new Set<ListLine>();
  for (const line of lines.toSorted((a, b) => a.rank - b.rank)) {
    if (line.text.length + 1 > left) break;
    left -= line.text.length + 1;
    kept.add(line);
  }
  const shown = lines.filter((line) => kept.has(line)).map(({ text }) => text);
  if (shown.length < lines.length) shown.push(more(lines.length - shown.length));
  const parts = [top, joinSafe(shown, "\n")].filter(Boolean);
  return safe`${heading}\n\n${fence(joinSafe(parts, "\n\n"), seed)}`;
}

/** Of the headings, the fence, the source's path and the blank lines. */
const headChars = 200;

function sourceLine(list: ListAround | null, room: number): readonly SafeText[] {
  if (!list?.path) return [];
  const whole = inlineText(list.introduction, listChars);
  const introduction = clip(whole, Math.max(introductionChars, room));
  const file = codeSpan(list.path, 200);
  if (!introduction) return [safe`From ${file}.`];
  const cut = introduction === whole && !whole.endsWith("…") ? safe`` : safe` (cut; read the rest there)`;
  return [safe`From ${file}${cut}: ${introduction}`];
}

function parentLine(parent: NonNullable<PromptRequest["parent"]>): SafeText {
  const about = [parent.title, parent.description].filter((text) => text.trim()).join(": ");
  return safe`One part of ${codeSpan(parent.id, 80)} ${inlineText(about, parentChars)}`;
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
  return safe`- ${codeSpan(id, 80)} ${inlineText(title, titleChars)}: ${statusText(status)}${commitOf(commit)}`;
}

/** A blocked task's work was taken out of the tree. */
function statusText(status: ListedTask["status"]): SafeText {
  return status === "blocked"
    ? safe`blocked, its changes are not in the folder`
    : safeText(status.replaceAll("_", " "));
}

function prerequisiteLine({ id, title, files, commit }: Prerequisite): SafeText {
  const named = files.slice(0, maxFiles).map((file) => inlineText(file, 80));
  const more = files.length > maxFiles ? safe` and ${files.length - maxFiles} more` : "";
  const did = files.length > 0 ? safe`; changed ${joinSafe(named, ", ")}${more}` : "";
  return safe`- ${codeSpan(id, 80)} ${inlineText(title, titleChars)}: done, needed here${did}${commitOf(commit)}`;
}

function commitOf(commit: string | null): SafeText {
  if (!commit) return safe``;
  return commit.includes("..") ? safe` (commits ${safeText(commit)})` : safe` (commit ${safeText(commit)})`;
}
