import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonValue } from "../../../base/json.ts";
import { cleanText, count } from "../../../base/text.ts";
import type { ImportedFile, ImportedTask, ShortFormat, SourceText } from "../source/imported-task.ts";
import {
  type JsonEntry,
  lineCounter,
  parseJsonSource,
  positionIn,
  textField,
  wrongField,
} from "../source/json-source.ts";
import { elementsOf } from "../source/json-tree.ts";
import { checkboxes, withoutFences } from "../source/list-items.ts";
import { settleParents } from "../source/settle-parents.ts";

/**
 * GitHub issues as printed by `gh issue list --json number,title,body,labels,state,milestone`, or a single one as printed
 * by `gh issue view`. Closed is done. The file is a copy: ralph writes neither to it nor to GitHub.
 */
export const githubIssues: ShortFormat = {
  name: "github-issues",
  endings: [".json"],
  holds,
  parse,
  mark: ({ text }: SourceText) => text,
};

function holds({ text }: SourceText): boolean {
  return /^\uFEFF?\s*[[{]/.test(text) && /"number"\s*:/.test(text) && /"title"\s*:/.test(text);
}

function parse({ path, text }: SourceText): ImportedFile {
  const { value, root } = parseJsonSource(path, text);
  const values: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const nodes = Array.isArray(value) ? elementsOf(root) : [root];
  if (values.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path} contains no issues`, {
      hint: "Pass `--state all` to gh: by default it lists only open issues.",
    });
  }
  const lineAt = lineCounter(text);
  const entries = values.map((fields, at): JsonEntry => {
    const node = nodes[at] ?? root;
    const entry = { path, text, node, line: lineAt(node.offset), fields: isObject(fields) ? fields : {} };
    if (isObject(fields) && Object.hasOwn(fields, "number")) return entry;
    const message = `${positionIn(entry, node.offset)}: not an issue: \`number\` is missing`;
    const hint =
      "Write the file with: gh issue list --state all --limit 1000 --json number,title,body,labels,state";
    throw new RalphError("RALPH_IMPORT_INVALID", message, { hint });
  });
  const issues = entries.filter(({ fields }) => !isPullRequest(fields));
  const skipped = entries.length - issues.length;
  if (issues.length === 0) throw wrongField(entries[0] as JsonEntry, null, "an issue, not a pull request");
  const read = issues.map(readIssue);
  const listedBy = new Map(
    read.toReversed().flatMap(({ key, children }) => children.map((child) => [child, key])),
  );
  const { tasks, warnings } = settleParents(
    path,
    read.map(({ parent, children: _, ...task }) => ({
      ...task,
      parents: [parent, listedBy.get(task.key)].filter((key) => typeof key === "string"),
    })),
  );
  const pulls = skipped > 0 ? [`${path}: ${count(skipped, "pull request")} skipped`] : [];
  const copy = `${path} is a copy of the issues: finished tasks are not closed on GitHub`;
  return { tasks, warnings: [...pulls, ...warnings, copy] };
}

/** GitHub's API lists pull requests among the issues. */
function isPullRequest(fields: JsonEntry["fields"]): boolean {
  return isObject(fields["pull_request"]);
}

const medium = 2;

/** An issue as a task, with the ids of its parent and children, which may be missing from the file. */
interface Issue extends ImportedTask {
  readonly parent: string | null;
  readonly children: readonly string[];
}

/** Reads one issue as a task with the id `gh-<number>`. Throws RALPH_IMPORT_INVALID at an invalid field. */
function readIssue(unnamed: JsonEntry): Issue {
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

/** Reads `OPEN` or `CLOSED` (gh), or lower case (GitHub's API). An issue without a state is open: gh lists open ones. */
function stateOf(entry: JsonEntry): "open" | "done" {
  const state = textField(entry, "state").toLowerCase();
  if (state === "closed") return "done";
  if (state === "open" || state === "") return "open";
  throw wrongField(entry, "state", "OPEN or CLOSED");
}

/** Returns the names of labels (`[{"name": "bug"}]` or `["bug"]`), or the title of a milestone. */
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

const priorityWords: Readonly<Record<string, number>> = {
  critical: 0,
  urgent: 0,
  highest: 0,
  high: 1,
  medium: 2,
  normal: 2,
  low: 3,
  lowest: 4,
};

/** Reads `P0` to `P4`, alone or after `priority`; words such as `high` only next to `priority`, except `critical`. */
function priorityOf(label: string): number | undefined {
  const text = label.toLowerCase().trim();
  const named = /^(?:priority|prio)\s{0,9}[:/\-_= ]\s*(\S.*)$/.exec(text)?.[1]?.trim();
  const digit = /^p?([0-4])(?:\b|$)/.exec(named ?? "")?.[1] ?? /^p([0-4])(?:\b|$)/.exec(text)?.[1];
  if (digit !== undefined) return Number(digit);
  const level = named ?? /^(.+?)[ -]priority$/.exec(text)?.[1] ?? (text === "critical" ? text : "");
  return Object.hasOwn(priorityWords, level) ? priorityWords[level] : undefined;
}

/** Returns the issues named by lines such as `Blocked by #12, #13` or `depends on #4`. */
function blockersIn(body: string): readonly string[] {
  const found = withoutFences(body).matchAll(
    /\b(?:blocked by|depends on)\b\s{0,3}:?\s{0,3}((?:(?:,|and|&)?\s{0,3}#\d{1,9}\b[ \t]{0,3})+)/gi,
  );
  return [...found].flatMap(([, list = ""]) =>
    [...list.matchAll(/#(\d+)/g)].map(([, number = ""]) => idOf(number)),
  );
}

/** Returns the issue that a checkbox refers to: `#12`, alone or followed by a remark. */
function numberIn(box: string): string | null {
  const number = /^#(\d{1,9})(?:\s|$)/.exec(box)?.[1];
  return number === undefined ? null : idOf(number);
}

/** Reads `{"nodes": [{"number": 12}], …}`, as newer gh prints relations, or a plain list. */
function numbersOf(entry: JsonEntry, field: string): readonly string[] {
  const value = entry.fields[field] ?? [];
  const nodes = isObject(value) ? (value["nodes"] ?? []) : value;
  if (!Array.isArray(nodes)) throw wrongField(entry, field, "a list of issues");
  return nodes.flatMap((node: JsonValue) => {
    const number = isObject(node) ? node["number"] : node;
    return typeof number === "number" ? [idOf(number)] : [];
  });
}
