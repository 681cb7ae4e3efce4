import { RalphError } from "../../../base/errors.ts";
import {
  isYamlObject,
  type ParsedYaml,
  parseYaml,
  type YamlObject,
  yamlPosition,
} from "../../../base/yaml.ts";
import type { ImportedFile, ImportFormat, SourceText } from "../imported-task.ts";
import { readEntry, unknownKeys } from "./tasks-yaml/read-entry.ts";
import { type RepairedText, repairBlocks } from "./tasks-yaml/repair-blocks.ts";
import { tickEntry } from "./tasks-yaml/tick-entry.ts";

/** `tasks.yaml`: a mapping with a list `tasks`, whose entries have `id` and `title`. Other members are ignored. */
export const tasksYaml: ImportFormat = {
  name: "tasks-yaml",
  endings: [".yaml", ".yml"],
  parse,
  tick,
  untick,
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

function tick(source: SourceText, key: string): string | undefined {
  return setCompleted(source, key, true);
}

function untick(source: SourceText, key: string): string | undefined {
  return setCompleted(source, key, false);
}

function setCompleted(source: SourceText, key: string, completed: boolean): string | undefined {
  const { yaml, repaired } = read(source);
  const index = entriesOf(yaml).findIndex((entry) => entry["id"] === key);
  const edit = index < 0 ? undefined : tickEntry(yaml, index, completed);
  if (!edit) return undefined;
  const [start, end] = [edit.start, edit.end].map((offset) => repaired?.originalOffset(offset) ?? offset);
  return source.text.slice(0, start) + edit.text + source.text.slice(end);
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
