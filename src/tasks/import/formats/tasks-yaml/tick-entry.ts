import { isDeepStrictEqual } from "node:util";
import { RalphError } from "../../../../base/errors.ts";
import {
  type ParsedYaml,
  parseYaml,
  type YamlObject,
  type YamlPlace,
  type YamlValue,
  yamlBoolean,
} from "../../../../base/yaml.ts";

/** Replaces the text from `start` to before `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the edit that sets `completed: true` (or `false`) in the entry at `index` of `tasks`; an empty edit if it is set,
 * undefined for an entry without id. Throws RALPH_WRITE_BACK if no edit is possible, as for an alias of another entry.
 */
export function tickEntry(yaml: ParsedYaml, index: number, value = true): Edit | undefined {
  const entry = ["tasks", index];
  const whole = yaml.place(entry);
  const id = yaml.place([...entry, "id"]);
  const completed = yaml.place([...entry, "completed"]);
  if (!whole || !id?.key) return undefined;
  if ((yamlBoolean(entryAt(yaml.value, index)?.["completed"]) === true) === value) return insertion(0, "");
  const { text } = yaml;
  const edit = completed?.key
    ? setValue(text, { ...completed, key: completed.key }, `${value}`)
    : addField(text, { whole, id: { ...id, key: id.key } });
  if (isOnlyTicked(yaml, edit, { index, completed: `${value}` })) return edit;
  throw new RalphError(
    "RALPH_WRITE_BACK",
    `${yaml.file}:${whole.line}: the entry cannot be marked as ${value ? "completed" : "open"}`,
    {
      hint: `Add \`completed: ${value}\` to it yourself.`,
    },
  );
}

type Keyed = YamlPlace & { readonly key: NonNullable<YamlPlace["key"]> };

function setValue(text: string, { start, end, key }: Keyed, value: string): Edit {
  if (start >= key.end && end > start) return { start, end, text: value };
  // A key without value: `completed:`, or `completed` within braces.
  const colon = /^[ \t]*:/.exec(text.slice(key.end));
  return colon ? insertion(key.end + colon[0].length, ` ${value}`) : insertion(key.end, `: ${value}`);
}

function addField(text: string, { whole, id }: { readonly whole: YamlPlace; readonly id: Keyed }): Edit {
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

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** Returns true if the edit changes the value of that one field only. */
function isOnlyTicked(before: ParsedYaml, edit: Edit, tick: Tick): boolean {
  const text = before.text.slice(0, edit.start) + edit.text + before.text.slice(edit.end);
  const after = parseYaml(text, { file: before.file }).value;
  return isDeepStrictEqual(withTick(before.value, tick), after);
}

function entryAt(value: YamlValue, index: number): YamlObject | undefined {
  const tasks = (value as YamlObject)["tasks"] as readonly YamlObject[];
  return tasks[index];
}

interface Tick {
  readonly index: number;
  readonly completed: string;
}

function withTick(value: YamlValue, { index, completed }: Tick): YamlValue {
  const ticked = Object.assign(Object.create(null), entryAt(value, index), { completed });
  const tasks = ((value as YamlObject)["tasks"] as readonly YamlValue[]).with(index, ticked);
  return Object.assign(Object.create(null), value, { tasks });
}
