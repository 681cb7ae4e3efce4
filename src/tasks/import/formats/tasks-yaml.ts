import { RalphError } from "../../../base/errors.ts";
import {
  isYamlObject,
  type ParsedYaml,
  parseYaml,
  type YamlObject,
  yamlPosition,
} from "../../../base/yaml.ts";
import type { ImportedFile, ImportFormat, Marks, SourceText } from "../imported-task.ts";
import { applyEdits } from "../text-edit.ts";
import { readEntry, unknownKeys } from "./tasks-yaml/read-entry.ts";
import { type RepairedText, repairBlocks } from "./tasks-yaml/repair-blocks.ts";
import { tickEntries } from "./tasks-yaml/tick-entries.ts";

/** `tasks.yaml`: a mapping with a list `tasks`, whose entries have `id` and `title`. Other members are ignored. */
export const tasksYaml: ImportFormat = {
  name: "tasks-yaml",
  endings: [".yaml", ".yml"],
  parse,
  mark,
};

function parse(source: SourceText): ImportedFile {
  const { yaml, repaired } = read(source);
  const entries = entriesOf(yaml);
  if (entries.length === 0) {
    const message = `${yamlPosition(yaml, ["tasks"])}: the list \`tasks\` is empty`;
    const hint = "Add a task: `- id: A1` with a `title:` below it.";
    throw new RalphError("RALPH_IMPORT_EMPTY", message, { hint });
  }
  const tasks = entries.map((entry, index) => readEntry(yaml, entry, index));
  const places = repaired?.places ?? [];
  const warnings = places.map(
    ({ first, last }) =>
      `${source.path}:${first}: lines ${first} to ${last} are not indented like the text around them; read as part of it`,
  );
  return { tasks, warnings: [...warnings, ...unknownKeys(yaml, entries)] };
}

function mark(source: SourceText, marks: Marks): string | undefined {
  const { yaml, repaired } = read(source);
  const wanted = new Map<number, boolean>();
  const left = new Map(marks);
  for (const [index, { id }] of entriesOf(yaml).entries()) {
    const completed = typeof id === "string" ? left.get(id) : undefined;
    if (typeof id !== "string" || completed === undefined) continue;
    left.delete(id);
    wanted.set(index, completed);
  }
  if (wanted.size === 0) return undefined;
  const original = (offset: number): number => repaired?.originalOffset(offset) ?? offset;
  const edits = tickEntries(yaml, wanted).map(({ start, end, text }) => {
    return { start: original(start), end: original(end), text };
  });
  return applyEdits(source.text, edits);
}

interface ReadYaml {
  readonly yaml: ParsedYaml;
  readonly repaired: RepairedText | undefined;
}

function read({ path, text }: SourceText): ReadYaml {
  try {
    return { yaml: parseYaml(text, { file: path }), repaired: undefined };
  } catch (error) {
    const repaired =
      error instanceof RalphError && error.code === "RALPH_YAML_INVALID" ? repairBlocks(text) : undefined;
    const yaml = repaired && tryParse(repaired.text, path);
    // The error in the original file is more useful than one in the repaired text.
    if (!yaml) throw error;
    return { yaml, repaired };
  }
}

function tryParse(text: string, path: string): ParsedYaml | undefined {
  try {
    return parseYaml(text, { file: path });
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}

function entriesOf(yaml: ParsedYaml): readonly YamlObject[] {
  const list = isYamlObject(yaml.value) ? yaml.value["tasks"] : undefined;
  if (list === null) return [];
  if (!Array.isArray(list)) {
    const hint = "Write a list `tasks:` whose entries have an `id` and a `title`.";
    throw new RalphError(
      "RALPH_IMPORT_INVALID",
      `${yamlPosition(yaml, ["tasks"])}: missing list \`tasks:\``,
      { hint },
    );
  }
  return list.map((entry, index) => {
    if (isYamlObject(entry)) return entry;
    const where = yamlPosition(yaml, ["tasks", index]);
    const hint = "Write each task as a mapping with an `id` and a `title`.";
    throw new RalphError("RALPH_IMPORT_INVALID", `${where}: this entry of \`tasks\` must be a mapping`, {
      hint,
    });
  });
}
