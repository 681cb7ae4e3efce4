import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { cleanText } from "../../../base/text.ts";
import type { ImportedFile, Marks, ShortFormat, SourceText } from "../source/imported-task.ts";
import {
  idField,
  type JsonEntry,
  lineCounter,
  parseJsonSource,
  setMember,
  textField,
  wrongField,
} from "../source/json-source.ts";
import { elementsOf, type JsonNode, memberOf, writtenText } from "../source/json-tree.ts";
import { listItems } from "../source/list-items.ts";
import { settleParents, type WithParents } from "../source/settle-parents.ts";
import { statedStatus } from "../source/stated-status.ts";
import { applyEdits } from "../source/text-edit.ts";

/**
 * Task Master's `tasks.json`: `{"tasks": [...]}`, or lists by tag (`{"master": {"tasks": [...]}}`). A sub-task has the id of
 * its task before its own (`1.2`). Tasks of tags other than `master` have the tag before their id, and as a tag.
 */
export const taskMaster: ShortFormat = { name: "task-master", endings: [".json"], holds, parse, mark };

function holds({ text }: SourceText): boolean {
  const isOther = /"userStories"\s*:/.test(text) || !/^\uFEFF?\s*\{/.test(text);
  return !isOther && /"tasks"\s*:\s*\[/.test(text) && /"title"\s*:/.test(text);
}

/** A task or sub-task in its place. */
interface Entry extends JsonEntry {
  readonly key: string;
  readonly parentKey: string | null;
  /** Precedes the ids of its neighbours: the id of its task, or the name of its list. */
  readonly prefix: string;
  readonly listPrefix: string;
  readonly tag: string;
}

function parse(source: SourceText): ImportedFile {
  const entries = entriesOf(source);
  if (entries.length === 0)
    throw new RalphError("RALPH_IMPORT_EMPTY", `${source.path} contains no tasks`, {
      hint: "Add tasks with Task Master first: task-master parse-prd",
    });
  const keys = new Set(entries.map(({ key }) => key));
  return settleParents(
    source.path,
    entries.map((entry) => readTask(entry, keys)),
  );
}

function mark(source: SourceText, marks: Marks): string | undefined {
  const left = new Map(marks);
  const edits = entriesOf(source).flatMap((entry) => {
    const done = left.get(entry.key);
    if (done === undefined) return [];
    left.delete(entry.key);
    if ((statedStatus(textField(entry, "status")).state === "done") === done) return [];
    const value = done ? '"done"' : '"pending"';
    return setMember(source.text, entry.node, { key: "status", value, after: "title" });
  });
  return left.size < marks.size ? applyEdits(source.text, edits) : undefined;
}

type Place = Pick<Entry, "parentKey" | "prefix" | "listPrefix" | "tag">;

/** Returns all tasks of all lists, each before its sub-tasks. */
function entriesOf({ path, text }: SourceText): readonly Entry[] {
  const { value, root } = parseJsonSource(path, text);
  const lineAt = lineCounter(text);
  const entries: Entry[] = [];
  const add = (fields: JsonValue, node: JsonNode, place: Place): void => {
    const plain = { path, text, node, line: lineAt(node.offset), fields: isObject(fields) ? fields : {} };
    if (!isObject(fields)) throw wrongField(plain, null, "an object with `id` and `title`");
    const id = idField(plain, "id");
    if (id === "") throw wrongField(plain, "id", "given");
    // Some files repeat the task's id in the id of its sub-task.
    const key = id.startsWith(place.prefix) ? id : `${place.prefix}${id}`;
    entries.push({ ...plain, ...place, key, name: `task ${key}` });
    addAll(fields["subtasks"], node, "subtasks", { ...place, parentKey: key, prefix: `${key}.` });
  };
  const addAll = (list: JsonValue | undefined, node: JsonNode, field: string, place: Place): void => {
    const nodes = memberOf(node, field)?.value;
    if (!Array.isArray(list) || !nodes) return;
    for (const [at, element] of elementsOf(nodes).entries()) add(list[at] ?? null, element, place);
  };
  for (const { list, node, tag } of listsOf(value, root)) {
    const prefix = tag === "" ? "" : `${tag}:`;
    addAll(list["tasks"], node, "tasks", { parentKey: null, prefix, listPrefix: prefix, tag });
  }
  return entries;
}

interface List {
  readonly list: JsonObject;
  readonly node: JsonNode;
  /** "" for the list `master`, and for a file of one list. */
  readonly tag: string;
}

function listsOf(value: JsonValue, root: JsonNode): readonly List[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value["tasks"])) return [{ list: value, node: root, tag: "" }];
  return Object.entries(value).flatMap(([name, list]) => {
    const node = memberOf(root, name)?.value;
    return isObject(list) && node ? [{ list, node, tag: name === "master" ? "" : name }] : [];
  });
}

const priorities = ["critical", "high", "medium", "low"];

function readTask(entry: Entry, keys: ReadonlySet<string>): WithParents {
  const title = textField(entry, "title");
  if (title === "") throw wrongField(entry, "title", "given");
  const priority = priorities.indexOf(textField(entry, "priority").toLowerCase());
  return {
    key: entry.key,
    id: entry.key,
    parents: entry.parentKey === null ? [] : [entry.parentKey],
    line: entry.line,
    title,
    description: descriptionOf(entry),
    ...statedStatus(textField(entry, "status")),
    ...(priority < 0 ? {} : { priority }),
    ...(entry.tag === "" ? {} : { tags: [entry.tag] }),
    acceptance: acceptanceOf(entry),
    dependsOn: [],
    dependsOnIfKnown: dependenciesOf(entry, keys),
  };
}

function descriptionOf(entry: Entry): string {
  const strategy = textField(entry, "testStrategy");
  const parts = [
    textField(entry, "description"),
    textField(entry, "details"),
    strategy === "" ? "" : `## Test strategy\n\n${strategy}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function acceptanceOf(entry: Entry): readonly string[] {
  return typeof entry.fields["acceptanceCriteria"] === "string"
    ? listItems(textField(entry, "acceptanceCriteria"))
    : [];
}

/** A number names a sub-task of the same task first (`2` within task 1 is `1.2`), then a task of the list. */
function dependenciesOf(entry: Entry, keys: ReadonlySet<string>): readonly string[] {
  const value = entry.fields["dependencies"] ?? [];
  if (!Array.isArray(value)) throw wrongField(entry, "dependencies", "a list of ids");
  const member = memberOf(entry.node, "dependencies");
  const nodes = member ? elementsOf(member.value) : [];
  const found = value.map((one: JsonValue, at): string => {
    const node = nodes[at];
    if (typeof one === "number" && node) return writtenText(entry.text, node);
    if (typeof one === "string") return cleanText(one).trim();
    throw wrongField(entry, "dependencies", "a list of ids");
  });
  const named = found.map((id) => {
    const places = [`${entry.prefix}${id}`, `${entry.listPrefix}${id}`];
    return places.find((key) => keys.has(key)) ?? places.at(-1) ?? id;
  });
  return [...new Set(named)].filter((key) => key !== entry.key && key !== entry.parentKey);
}
