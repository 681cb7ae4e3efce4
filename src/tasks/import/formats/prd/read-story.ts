import { RalphError } from "../../../../base/errors.ts";
import { nearest } from "../../../../base/nearest.ts";
import { count } from "../../../../base/text.ts";
import type { ImportedTask } from "../../imported-task.ts";
import {
  booleanField,
  idField,
  integerField,
  type JsonEntry,
  positionIn,
  textField,
  textsField,
  wrongField,
} from "../../json-source.ts";

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
export function readStory(unnamed: JsonEntry): ImportedTask {
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

/**
 * Returns one warning per unknown key, with its first place. Throws RALPH_IMPORT_UNKNOWN_KEY for a likely typo of a known
 * key: silently losing a dependency would let stories run in the wrong order.
 */
export function unknownStoryKeys(entries: readonly JsonEntry[]): readonly string[] {
  const found = new Map<string, { readonly first: JsonEntry; times: number }>();
  for (const entry of entries) {
    for (const key of Object.keys(entry.fields)) {
      if (knownKeys.includes(key)) continue;
      const seen = found.get(key);
      if (seen) seen.times++;
      else found.set(key, { first: entry, times: 1 });
    }
  }
  return [...found].map(([key, { first, times }]) => {
    const more = times > 1 ? `, and in ${count(times - 1, "story", "stories")} more` : "";
    const where = positionIn(first, first.node.offset);
    const problem = `${where}: unknown key ${JSON.stringify(key)}`;
    const meant = nearest(key, knownKeys);
    if (meant)
      throw new RalphError("RALPH_IMPORT_UNKNOWN_KEY", `${problem}${more}`, {
        hint: `did you mean ${meant}?`,
      });
    return `${problem} ignored${more}`;
  });
}
