import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { cleanText } from "../../../base/text.ts";
import type { ImportedFile, ImportFormat, Marks, SourceText } from "../imported-task.ts";
import {
  type JsonEntry,
  lineCounter,
  parseJsonSource,
  positionIn,
  setMember,
  wrongField,
} from "../json-source.ts";
import { elementsOf, type JsonNode, memberOf, writtenText } from "../json-tree.ts";
import { applyEdits } from "../text-edit.ts";
import { readStory, unknownStoryKeys } from "./prd/read-story.ts";

/** `prd.json`: an object with a list `userStories`; other members are ignored. `passes: true` is done. */
export const prd: ImportFormat = { name: "prd", endings: [".json"], holds, parse, mark };

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
  return { tasks, warnings: unknownStoryKeys(entries) };
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
