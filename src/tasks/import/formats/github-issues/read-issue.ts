import { isObject, type JsonValue } from "../../../../base/json.ts";
import { cleanText } from "../../../../base/text.ts";
import type { ImportedFile, ImportedTask } from "../../imported-task.ts";
import { type JsonEntry, textField, wrongField } from "../../json-source.ts";
import { checkboxes, withoutFences } from "../../list-items.ts";

const medium = 2;

/** An issue as a task, with what it says of its family: ids of tasks, which the file may not hold. */
export interface Issue extends ImportedTask {
  readonly parent: string | null;
  readonly children: readonly string[];
}

/** One issue as a task of the id `gh-<number>`. RALPH_IMPORT_INVALID at the field that is not what it should be. */
export function readIssue(unnamed: JsonEntry): Issue {
  const number = unnamed.fields["number"];
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) {
    throw wrongField(unnamed, "number", "an issue's number");
  }
  const entry = { ...unnamed, name: `issue ${number}` };
  const title = textField(entry, "title");
  if (title === "") throw wrongField(entry, "title", "given");
  const id = idOf(number);
  const body = textField(entry, "body").replace(/\r\n/g, "\n");
  const labels = namesOf(entry, "labels");
  const boxes = checkboxes(body);
  const parent = entry.fields["parent"];
  return {
    key: id,
    id,
    line: entry.line,
    title,
    description: body,
    state: stateOf(entry),
    reason: null,
    priority: labels.map(priorityOf).find((priority) => priority !== undefined) ?? medium,
    tags: [...new Set([...labels, ...namesOf(entry, "milestone")])],
    acceptance: boxes.filter((box) => numberIn(box) === null),
    dependsOn: [],
    dependsOnIfKnown: [...new Set([...blockersIn(body), ...numbersOf(entry, "blockedBy")])].filter(
      (to) => to !== id,
    ),
    parent: isObject(parent) && typeof parent["number"] === "number" ? idOf(parent["number"]) : null,
    children: [...boxes.flatMap((box) => numberIn(box) ?? []), ...numbersOf(entry, "subIssues")],
  };
}

function idOf(number: number | string): string {
  return `gh-${number}`;
}

/** `OPEN` or `CLOSED` from gh, in small letters from GitHub's API; without one, gh has listed what is open. */
function stateOf(entry: JsonEntry): "open" | "done" {
  const state = textField(entry, "state").toLowerCase();
  if (state === "closed") return "done";
  if (state === "open" || state === "") return "open";
  throw wrongField(entry, "state", "OPEN or CLOSED");
}

/** The names of labels (`[{"name": "bug"}]` or `["bug"]`), or the title of a milestone. */
function namesOf(entry: JsonEntry, field: string): readonly string[] {
  const value = entry.fields[field] ?? [];
  const items: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return items
    .map((item) => {
      const name = isObject(item) ? (item["name"] ?? item["title"]) : item;
      if (typeof name !== "string") throw wrongField(entry, field, "a list of objects with a `name`");
      return cleanText(name).trim();
    })
    .filter((name) => name !== "");
}

const wordsOfPriority: Readonly<Record<string, number>> = {
  critical: 0,
  urgent: 0,
  highest: 0,
  high: 1,
  medium: 2,
  normal: 2,
  low: 3,
  lowest: 4,
};

/** `P0` to `P4`, alone or behind `priority`; a word such as `high` only behind `priority`, but for `critical`. */
function priorityOf(label: string): number | undefined {
  const text = label.toLowerCase().trim();
  const named = /^(?:priority|prio)\s*[:/\-_= ]\s*(\S.*)$/.exec(text)?.[1]?.trim();
  const digit = /^p?([0-4])(?:\b|$)/.exec(named ?? "")?.[1] ?? /^p([0-4])(?:\b|$)/.exec(text)?.[1];
  if (digit !== undefined) return Number(digit);
  const word = named ?? /^(.+?)[ -]priority$/.exec(text)?.[1] ?? (text === "critical" ? text : "");
  return Object.hasOwn(wordsOfPriority, word) ? wordsOfPriority[word] : undefined;
}

/** The issues that lines such as `Blocked by #12, #13` or `depends on #4` name. */
function blockersIn(body: string): readonly string[] {
  const found = withoutFences(body).matchAll(
    /\b(?:blocked by|depends on)\b\s{0,3}:?\s{0,3}((?:(?:,|and|&)?\s{0,3}#\d{1,9}\b[ \t]{0,3})+)/gi,
  );
  return [...found].flatMap(([, list = ""]) =>
    [...list.matchAll(/#(\d+)/g)].map(([, number = ""]) => idOf(number)),
  );
}

/** The number of a box that stands for another issue: `#12`, alone or with a remark behind it. */
function numberIn(box: string): string | null {
  const number = /^#(\d{1,9})(?:\s|$)/.exec(box)?.[1];
  return number === undefined ? null : idOf(number);
}

/** `{"nodes": [{"number": 12}], …}`, as newer gh prints relations, or the list alone. */
function numbersOf(entry: JsonEntry, field: string): readonly string[] {
  const value = entry.fields[field] ?? [];
  const nodes = isObject(value) ? (value["nodes"] ?? []) : value;
  if (!Array.isArray(nodes)) throw wrongField(entry, field, "a list of issues");
  return nodes.flatMap((node: JsonValue) => {
    const number = isObject(node) ? node["number"] : node;
    return typeof number === "number" ? [idOf(number)] : [];
  });
}

/**
 * The tasks with their parents, those first. A parent counts that the file holds and that does not lie below the issue
 * itself; what an issue says of its parent goes before what others say of their children.
 */
export function inFamilies(path: string, issues: readonly Issue[]): ImportedFile {
  const byId = new Map(issues.map((issue) => [issue.key, issue]));
  const parents = new Map<string, string>();
  const warnings: string[] = [];
  const adopt = (child: string, parent: string, line: number): void => {
    if (!byId.has(child) || !byId.has(parent) || parents.has(child)) return;
    for (let at: string | undefined = parent; at !== undefined; at = parents.get(at)) {
      if (at !== child) continue;
      warnings.push(
        `${path}:${line}: ${child} cannot be a part of ${parent}, which is a part of it; left alone`,
      );
      return;
    }
    parents.set(child, parent);
  };
  for (const { key, parent, line } of issues) if (parent !== null) adopt(key, parent, line);
  for (const { key, children, line } of issues) for (const child of children) adopt(child, key, line);
  const open = new Set<string>();
  for (const { key, state } of issues) {
    if (state === "done") continue;
    for (let at = parents.get(key); at !== undefined && !open.has(at); at = parents.get(at)) open.add(at);
  }
  const depth = depths(issues, parents);
  const ordered = issues.toSorted((a, b) => (depth.get(a.key) ?? 0) - (depth.get(b.key) ?? 0));
  const tasks = ordered.map(({ parent: _, children, ...task }): ImportedTask => {
    const early = task.state === "done" && open.has(task.key);
    if (early)
      warnings.push(
        `${path}:${task.line}: ${task.key} is closed, but not all of its parts are; it stays open until they are`,
      );
    return { ...task, state: early ? "open" : task.state, parentKey: parents.get(task.key) ?? null };
  });
  return { tasks, warnings };
}

function depths(issues: readonly Issue[], parents: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const depth = new Map<string, number>();
  for (const { key } of issues) {
    const trail: string[] = [];
    for (let at: string | undefined = key; at !== undefined && !depth.has(at); at = parents.get(at))
      trail.push(at);
    for (const one of trail.toReversed()) depth.set(one, (depth.get(parents.get(one) ?? "") ?? -1) + 1);
  }
  return depth;
}
