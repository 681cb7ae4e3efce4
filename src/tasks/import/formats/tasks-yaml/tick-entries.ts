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
import { statedStatus } from "../../source/stated-status.ts";
import { applyEdits, type TextEdit } from "../../source/text-edit.ts";

/** The fields that can say that an entry is done; the first that it has decides. ralph adds `completed`. */
const flags = ["completed", "done", "passes"];
export const tickFields: readonly string[] = [...flags, "status", "state"];

/** Returns the field that says whether an entry is done; undefined for an entry without one. */
export function tickFieldOf(
  fields: YamlObject,
): { readonly name: string; readonly isFlag: boolean } | undefined {
  const name = tickFields.find((field) => fields[field] !== undefined);
  return name === undefined ? undefined : { name, isFlag: flags.includes(name) };
}

/** By the index of an entry in `tasks`: true if it is to be done. */
type Ticks = ReadonlyMap<number, boolean>;

/**
 * Returns the edits that tick or untick these entries of `tasks`; none for an entry that is so already.
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
  const fields = entryAt(yaml.value, index);
  const whole = yaml.place(entry);
  const first = yaml.place([...entry, fields["id"] === undefined ? "title" : "id"]);
  if (!whole || !first?.key || isTicked(fields) === value) return undefined;
  const field = tickFieldOf(fields)?.name;
  const stated = field === undefined ? undefined : yaml.place([...entry, field]);
  const { text } = yaml;
  return field !== undefined && stated?.key
    ? setValue(text, { ...stated, key: stated.key }, valueIn(fields, value))
    : addField(text, { whole, first: { ...first, key: first.key } });
}

function isTicked(fields: YamlObject): boolean {
  const field = tickFieldOf(fields);
  const value = field && fields[field.name];
  if (field?.isFlag) return yamlBoolean(value) === true;
  return typeof value === "string" && statedStatus(value.trim()).state === "done";
}

/** Returns the new value of the entry's field. */
function valueIn(fields: YamlObject, ticked: boolean): string {
  if (tickFieldOf(fields)?.isFlag !== false) return `${ticked}`;
  return ticked ? "done" : "pending";
}

type Keyed = YamlPlace & { readonly key: NonNullable<YamlPlace["key"]> };

function setValue(text: string, { start, end, key }: Keyed, value: string): TextEdit {
  if (start >= key.end && end > start) {
    // A list in JSON stays JSON.
    const quote = /^["']/.exec(text.slice(start, end))?.[0];
    const isWord = value !== "true" && value !== "false";
    return { start, end, text: quote && isWord ? `${quote}${value}${quote}` : value };
  }
  // A key without value: `completed:`, or `completed` within braces.
  const colon = /^[ \t]*:/.exec(text.slice(key.end));
  return colon ? insertion(key.end + colon[0].length, ` ${value}`) : insertion(key.end, `: ${value}`);
}

function addField(
  text: string,
  { whole, first }: { readonly whole: YamlPlace; readonly first: Keyed },
): TextEdit {
  const quote = text[first.key.start] === '"' ? '"' : "";
  const field = `${quote}completed${quote}: true`;
  if (whole.flow) return insertion(first.end, `, ${field}`);
  const lineStart = text.lastIndexOf("\n", first.key.start - 1) + 1;
  const column = first.key.start - lineStart;
  const line = `${" ".repeat(column)}${field}`;
  // A block scalar ends after its own line break.
  const lineEnd = text[first.end - 1] === "\n" ? first.end - 1 : text.indexOf("\n", first.end);
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

function entryAt(value: YamlValue, index: number): YamlObject {
  const tasks = (value as YamlObject)["tasks"] as readonly YamlObject[];
  return tasks[index] ?? {};
}

function withTicks(value: YamlValue, ticks: Ticks): YamlValue {
  const tasks = ((value as YamlObject)["tasks"] as readonly YamlObject[]).map((entry, index) => {
    const ticked = ticks.get(index);
    if (ticked === undefined || isTicked(entry) === ticked) return entry;
    const field = tickFieldOf(entry)?.name ?? "completed";
    return Object.assign(Object.create(null), entry, { [field]: valueIn(entry, ticked) });
  });
  return Object.assign(Object.create(null), value, { tasks });
}
