import { RalphError } from "../../../base/errors.ts";
import {
  isYamlObject,
  type ParsedYaml,
  parseLongYaml,
  type YamlObject,
  yamlPosition,
} from "../../../base/yaml.ts";
import type { ImportedFile, ImportFormat, Marks, SourceText } from "../source/imported-task.ts";
import { applyEdits, type TextEdit } from "../source/text-edit.ts";
import { keyedEntries, readEntry, unknownKeys } from "./tasks-yaml/read-entry.ts";
import { type RepairedText, repairBlocks } from "./tasks-yaml/repair-blocks.ts";
import { mayHaveId, parseValid, shortList, withoutShared } from "./tasks-yaml/short-list.ts";
import { tickEntries } from "./tasks-yaml/tick-entries.ts";

/** `tasks.yaml`: a mapping with a list `tasks`, whose entries have a `title` and mostly an `id`. Other members are ignored. */
export const tasksYaml: ImportFormat = {
  name: "tasks-yaml",
  endings: [".yaml", ".yml"],
  parse,
  mark,
  withoutShared,
};

async function parse(source: SourceText): Promise<ImportedFile> {
  const { yaml, repaired } = await read(source);
  const entries = entriesOf(yaml);
  if (entries.length === 0) {
    const message = `${yamlPosition(yaml, ["tasks"])}: the list \`tasks\` is empty`;
    const hint = "Add a task: `- id: A1` with a `title:` below it.";
    throw new RalphError("RALPH_IMPORT_EMPTY", message, { hint });
  }
  const tasks = keyedEntries(entries).map((entry, index) => readEntry(yaml, index, entry));
  const places = repaired?.places ?? [];
  const warnings = places.map(
    ({ first, last }) =>
      `${source.path}:${first}: lines ${first} to ${last} are not indented like the text around them; read as part of it`,
  );
  return { tasks, warnings: [...warnings, ...unknownKeys(yaml, entries)] };
}

/** Characters of a list whose entries are read alone where that suffices. */
const longList = 50_000;

async function mark(source: SourceText, marks: Marks): Promise<string | undefined> {
  const isLong = source.text.length > longList;
  return (isLong ? await markAlone(source, marks) : undefined) ?? markInWhole(source, marks);
}

/** As `mark`, without reading the other entries. Undefined if the list must be read whole, also for an entry that is gone. */
export async function markAlone({ path, text }: SourceText, marks: Marks): Promise<string | undefined> {
  try {
    const short = await shortList(path, text, (entry) => mayHaveId(entry, marks));
    const wanted = short && indexesOf(short.yaml, marks);
    if (!short || !wanted || wanted.size < marks.size) return undefined;
    return applyEdits(text, moved(await tickEntries(short.yaml, wanted), short.originalOffset));
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}

export async function markInWhole(source: SourceText, marks: Marks): Promise<string | undefined> {
  const { yaml, repaired } = await read(source);
  const wanted = indexesOf(yaml, marks);
  if (wanted.size === 0) return undefined;
  const edits = await tickEntries(yaml, wanted);
  return applyEdits(source.text, repaired ? moved(edits, repaired.originalOffset) : edits);
}

/** Returns the marks by the entries' indexes; an id that two entries have is that of the first. */
function indexesOf(yaml: ParsedYaml, marks: Marks): ReadonlyMap<number, boolean> {
  const wanted = new Map<number, boolean>();
  const left = new Map(marks);
  for (const [index, { key }] of keyedEntries(entriesOf(yaml)).entries()) {
    const completed = left.get(key);
    if (completed === undefined) continue;
    left.delete(key);
    wanted.set(index, completed);
  }
  return wanted;
}

function moved(edits: readonly TextEdit[], original: (offset: number) => number): readonly TextEdit[] {
  return edits.map(({ start, end, text }) => ({ start: original(start), end: original(end), text }));
}

interface ReadYaml {
  readonly yaml: ParsedYaml;
  readonly repaired: RepairedText | undefined;
}

async function read({ path, text }: SourceText): Promise<ReadYaml> {
  try {
    return { yaml: await parseLongYaml(text, { file: path }), repaired: undefined };
  } catch (error) {
    const repaired =
      error instanceof RalphError && error.code === "RALPH_YAML_INVALID" ? repairBlocks(text) : undefined;
    const yaml = repaired && (await parseValid(repaired.text, path));
    // The error in the original file is more useful than one in the repaired text.
    if (!yaml) throw error;
    return { yaml, repaired };
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
