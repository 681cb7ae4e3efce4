import { isDeepStrictEqual } from "node:util";
import { RalphError } from "../../../../base/errors.ts";
import {
  type ParsedYaml,
  parseLongYaml,
  type YamlObject,
  type YamlPlace,
  type YamlValue,
  yamlBoolean,
} from "../../../../base/yaml.ts";
import { applyEdits, type TextEdit } from "../../source/text-edit.ts";

/** By the index of an entry in `tasks`: its new value of `completed`. */
type Ticks = ReadonlyMap<number, boolean>;

/**
 * Returns the edits that set `completed` in these entries of `tasks`; none for an entry where it is set, or one without id.
 * Throws RALPH_WRITE_BACK if that is not possible, as for an alias of another entry.
 */
export async function tickEntries(yaml: ParsedYaml, ticks: Ticks): Promise<readonly TextEdit[]> {
  const edits = [...ticks].flatMap(([index, value]) => tickEntry(yaml, index, value) ?? []);
  // Parsed once for all of them: that takes most of the time.
  if (edits.length === 0 || (await areOnlyTicked(yaml, edits, ticks))) return edits;
  const [[index, value] = [0, true]] = ticks;
  const line = yaml.place(["tasks", index])?.line ?? 1;
  const what = ticks.size === 1 ? "the entry" : `this entry or one of ${ticks.size - 1} more`;
  throw new RalphError(
    "RALPH_WRITE_BACK",
    `${yaml.file}:${line}: ${what} cannot be marked as ${value ? "completed" : "open"}`,
    { hint: `Add \`completed: ${value}\` to it yourself.` },
  );
}

/** Returns the edit for one entry; undefined where none is needed or possible. */
function tickEntry(yaml: ParsedYaml, index: number, value: boolean): TextEdit | undefined {
  const entry = ["tasks", index];
  const whole = yaml.place(entry);
  const id = yaml.place([...entry, "id"]);
  const completed = yaml.place([...entry, "completed"]);
  if (!whole || !id?.key) return undefined;
  if ((yamlBoolean(entryAt(yaml.value, index)?.["completed"]) === true) === value) return undefined;
  const { text } = yaml;
  return completed?.key
    ? setValue(text, { ...completed, key: completed.key }, `${value}`)
    : addField(text, { whole, id: { ...id, key: id.key } });
}

type Keyed = YamlPlace & { readonly key: NonNullable<YamlPlace["key"]> };

function setValue(text: string, { start, end, key }: Keyed, value: string): TextEdit {
  if (start >= key.end && end > start) return { start, end, text: value };
  // A key without value: `completed:`, or `completed` within braces.
  const colon = /^[ \t]*:/.exec(text.slice(key.end));
  return colon ? insertion(key.end + colon[0].length, ` ${value}`) : insertion(key.end, `: ${value}`);
}

function addField(text: string, { whole, id }: { readonly whole: YamlPlace; readonly id: Keyed }): TextEdit {
  const quote = text[id.key.start] === '"' ? '"' : "";
  const field = `${quote}completed${quote}: true`;
  if (whole.flow) return insertion(id.end, `, ${field}`);
  const lineStart = text.lastIndexOf("\n", id.key.start - 1) + 1;
  const column = id.key.start - lineStart;
  const line = `${" ".repeat(column)}${field}`;
  // A block scalar ends after its own line break.
  const lineEnd = text[id.end - 1] === "\n" ? id.end - 1 : text.indexOf("\n", id.end);
  if (lineEnd < 0) return insertion(text.length, `${text.includes("\r\n") ? "\r\n" : "\n"}${line}`);
  return insertion(lineEnd + 1, `${line}${text[lineEnd - 1] === "\r" ? "\r\n" : "\n"}`);
}

function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}

/** Returns true if the edits change the value of that one field of these entries only. */
async function areOnlyTicked(before: ParsedYaml, edits: readonly TextEdit[], ticks: Ticks): Promise<boolean> {
  const after = await parseLongYaml(applyEdits(before.text, edits), { file: before.file });
  return isDeepStrictEqual(withTicks(before.value, ticks), after.value);
}

function entryAt(value: YamlValue, index: number): YamlObject | undefined {
  const tasks = (value as YamlObject)["tasks"] as readonly YamlObject[];
  return tasks[index];
}

function withTicks(value: YamlValue, ticks: Ticks): YamlValue {
  const tasks = ((value as YamlObject)["tasks"] as readonly YamlObject[]).map((entry, index) => {
    const ticked = ticks.get(index);
    if (ticked === undefined || (yamlBoolean(entry["completed"]) === true) === ticked) return entry;
    return Object.assign(Object.create(null), entry, { completed: `${ticked}` });
  });
  return Object.assign(Object.create(null), value, { tasks });
}
