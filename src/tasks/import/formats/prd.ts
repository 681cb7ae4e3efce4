import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { cleanText, count } from "../../../base/text.ts";
import type { ImportedFile, ImportedTask, Marks, ShortFormat, SourceText } from "../source/imported-task.ts";
import {
  booleanField,
  idField,
  integerField,
  type JsonEntry,
  lineCounter,
  parseJsonSource,
  positionIn,
  setMember,
  textField,
  textsField,
  wrongField,
} from "../source/json-source.ts";
import { elementsOf, type JsonNode, memberOf, writtenText } from "../source/json-tree.ts";
import { applyEdits } from "../source/text-edit.ts";
import { unknownKeyWarnings } from "../source/unknown-keys.ts";

/** `prd.json`: an object with a list `userStories`; other members are ignored. `passes: true` is done. */
export const prd: ShortFormat = { name: "prd", endings: [".json"], holds, parse, mark };

function holds({ text }: SourceText): boolean {
  return /"userStories"\s*:/.test(text);
}

function parse(source: SourceText): ImportedFile {
  const { path, text } = source;
  const stories = storiesOf(source);
  const lineAt = lineCounter(text);
  if (stories.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path}: the list \`userStories\` is empty`, {
      hint: 'Add a story: {"id": "US-1", "title": "…", "priority": 1, "passes": false}',
    });
  }
  const entries = stories.map(({ node, fields }): JsonEntry => {
    return { path, text, node, line: lineAt(node.offset), fields };
  });
  const tasks = entries.map(readStory);
  const keyed = entries.map((entry) => ({
    keys: Object.keys(entry.fields),
    placeOf: () => positionIn(entry, entry.node.offset),
  }));
  const more = (n: number): string => count(n, "story", "stories");
  return { tasks, warnings: unknownKeyWarnings(keyed, { known: knownKeys, more }) };
}

function mark(source: SourceText, marks: Marks): string | undefined {
  const { text } = source;
  const left = new Map(marks);
  const edits = storiesOf(source).flatMap((story) => {
    const key = storyKey(text, story);
    const passes = left.get(key);
    if (passes === undefined) return [];
    left.delete(key);
    if ((story.fields["passes"] === true) === passes) return [];
    return setMember(text, story.node, { key: "passes", value: `${passes}`, after: "id" });
  });
  return left.size < marks.size ? applyEdits(text, edits) : undefined;
}

interface Story {
  readonly node: JsonNode;
  readonly fields: JsonObject;
}

function storyKey(text: string, { node, fields }: Story): string {
  const id = fields["id"];
  if (typeof id === "string") return cleanText(id).trim();
  const written = memberOf(node, "id");
  return written ? writtenText(text, written.value) : "";
}

function storiesOf({ path, text }: SourceText): readonly Story[] {
  const { value, root } = parseJsonSource(path, text);
  const list = isObject(value) && Object.hasOwn(value, "userStories") ? value["userStories"] : undefined;
  const listNode = memberOf(root, "userStories")?.value;
  if (!Array.isArray(list) || !listNode) {
    const node = listNode ?? root;
    const entry = { path, text, node, line: lineCounter(text)(node.offset), fields: {} };
    const where = positionIn(entry, node.offset);
    throw new RalphError("RALPH_IMPORT_INVALID", `${where}: missing list \`userStories\``, {
      hint: 'Write the file as an object with "userStories": [{"id": …, "title": …, "passes": false}].',
    });
  }
  const nodes = elementsOf(listNode);
  return list.map((fields: JsonValue, at) => {
    const node = nodes[at] ?? listNode;
    if (isObject(fields)) return { node, fields };
    const line = lineCounter(text)(node.offset);
    throw wrongField({ path, text, node, line, fields: {} }, null, "an object with `id` and `title`");
  });
}

const knownKeys = [
  "id",
  "title",
  "description",
  "acceptanceCriteria",
  "priority",
  "passes",
  "notes",
  "dependsOn",
  "dependencies",
  "labels",
  "tags",
];
const priorities = ["critical", "high", "medium", "low"];
const medium = 2;

/** Reads one story as a task. Throws RALPH_IMPORT_INVALID at an invalid field. */
function readStory(unnamed: JsonEntry): ImportedTask {
  const id = idField(unnamed, "id");
  if (id === "") throw wrongField(unnamed, "id", "given");
  const entry = { ...unnamed, name: `story ${id}` };
  const title = textField(entry, "title");
  if (title === "") throw wrongField(entry, "title", "given");
  const notes = textField(entry, "notes");
  const description = textField(entry, "description");
  return {
    key: id,
    id,
    line: entry.line,
    title,
    description: [description, notes === "" ? "" : `Notes: ${notes}`]
      .filter((part) => part !== "")
      .join("\n\n"),
    state: booleanField(entry, "passes") ? "done" : "open",
    reason: null,
    priority: priorityOf(entry),
    tags: [...new Set([...textsField(entry, "labels"), ...textsField(entry, "tags")])],
    acceptance: textsField(entry, "acceptanceCriteria"),
    dependsOn: [...new Set([...textsField(entry, "dependsOn"), ...textsField(entry, "dependencies")])],
  };
}

/** Keeps numbers unchanged: stories count from 1, and lower runs first, as in ralph. */
function priorityOf(entry: JsonEntry): number {
  const value = entry.fields["priority"];
  if (typeof value !== "string") return integerField(entry, "priority", medium);
  const priority = priorities.indexOf(value.trim().toLowerCase());
  if (priority < 0) throw wrongField(entry, "priority", `an integer, or one of ${priorities.join(", ")}`);
  return priority;
}
