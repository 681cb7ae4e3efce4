import { RalphError } from "../../../../base/errors.ts";
import { cleanText, count } from "../../../../base/text.ts";
import {
  type ParsedYaml,
  type YamlObject,
  type YamlValue,
  yamlBoolean,
  yamlInteger,
  yamlPosition,
} from "../../../../base/yaml.ts";
import type { ImportedTask } from "../../source/imported-task.ts";
import { statedStatus } from "../../source/stated-status.ts";
import { distinct, textKey } from "../../source/text-key.ts";
import { unknownKeyWarnings } from "../../source/unknown-keys.ts";
import { tickFieldOf, tickFields } from "./tick-entries.ts";

const knownKeys = [
  "id",
  "title",
  "description",
  "priority",
  "parallel_group",
  ...tickFields,
  "verification",
  "acceptance_criteria",
  "files",
  "tags",
  "commit_template",
  "allow_no_change",
  "allow_red",
  "depends_on",
  "blocked",
  "blocked_reason",
  "deferred",
  "deferred_reason",
];
/** Other tools' keys, in lower case without separators, and the key that has their meaning here. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ...["blockedby", "depends", "dependency", "dependencies", "requires", "after", "needs", "waitsfor"].map(
    (key) => [key, "depends_on"] as const,
  ),
  ...["acceptance", "accept", "criteria"].map((key) => [key, "acceptance_criteria"] as const),
]);
const priorities = ["critical", "high", "medium", "low"];
const medium = 2;

/** An entry with what tells it from the others: its id, or its title. */
export interface KeyedEntry {
  readonly fields: YamlObject;
  readonly key: string;
}

export function keyedEntries(entries: readonly YamlObject[]): readonly KeyedEntry[] {
  const textOf = (value: YamlValue | undefined): string => (typeof value === "string" ? value : "");
  const ids = entries.flatMap(({ id }) => (id === undefined ? [] : [textOf(id)]));
  const seen = new Map(ids.map((id) => [id, 1]));
  return entries.map((fields) => {
    const { id, title } = fields;
    const key =
      id === undefined ? distinct(textKey(null, cleanText(textOf(title)).trim()), seen) : textOf(id);
    return { fields, key };
  });
}

/** One entry of the list, as parsed. */
interface Entry {
  readonly yaml: ParsedYaml;
  readonly fields: YamlObject;
  readonly index: number;
}

/** Reads one entry of the list as a task. Throws RALPH_IMPORT_INVALID at an invalid field. */
export function readEntry(yaml: ParsedYaml, index: number, { fields, key }: KeyedEntry): ImportedTask {
  const entry = { yaml, fields, index };
  const id = fields["id"] === undefined ? null : required(entry, "id");
  return {
    key: id ?? key,
    id,
    line: yaml.place(["tasks", index])?.line ?? 1,
    title: required(entry, "title"),
    description: text(entry, "description"),
    ...stateOf(entry),
    priority: priorityOf(entry),
    tags: texts(entry, "tags"),
    files: texts(entry, "files"),
    acceptance: texts(entry, "acceptance_criteria"),
    verification: texts(entry, "verification").map((run) => ({ run, timeoutMs: null })),
    ...statedFlag(entry, "allowNoChange", "allow_no_change"),
    ...statedFlag(entry, "allowRed", "allow_red"),
    commitTemplate: text(entry, "commit_template") || null,
    parallelGroup: integer(entry, "parallel_group"),
    dependsOn: [...new Set(texts(entry, "depends_on"))],
  };
}

export function unknownKeys(yaml: ParsedYaml, entries: readonly YamlObject[]): readonly string[] {
  const keyed = entries.map((entry, index) => ({
    keys: Object.keys(entry),
    placeOf: (key: string) => yamlPosition(yaml, ["tasks", index, key]),
  }));
  return unknownKeyWarnings(keyed, {
    known: knownKeys,
    more: (n) => count(n, "task"),
    synonyms: (key) => synonyms.get(key.toLowerCase().replace(/[ _-]/g, "")),
  });
}

function stateOf(entry: Entry): Pick<ImportedTask, "state" | "reason"> {
  // It takes precedence: people also set it to skip an entry.
  const field = tickFieldOf(entry.fields);
  const stated = field && !field.isFlag ? statedStatus(text(entry, field.name)) : undefined;
  if (stated?.state === "done" || (field?.isFlag && boolean(entry, field.name)))
    return { state: "done", reason: null };
  for (const field of ["blocked", "deferred"]) {
    if (!boolean(entry, field)) continue;
    return { state: "blocked", reason: text(entry, `${field}_reason`) || `${field} in its file` };
  }
  if (stated?.state !== "blocked") return { state: "open", reason: null };
  return {
    ...stated,
    reason: text(entry, "blocked_reason") || text(entry, "deferred_reason") || stated.reason,
  };
}

function priorityOf(entry: Entry): number {
  const name = text(entry, "priority");
  if (name === "") return medium;
  const priority = priorities.indexOf(name.toLowerCase());
  if (priority < 0) throw wrong(entry, "priority", `one of ${priorities.join(", ")}`);
  return priority;
}

function required(entry: Entry, field: string): string {
  const value = text(entry, field);
  if (value === "") throw wrong(entry, field, "given");
  return value;
}

/** Returns the trimmed text of a field; "" if it is absent. */
function text(entry: Entry, field: string): string {
  const value = entry.fields[field] ?? "";
  if (typeof value !== "string") throw wrong(entry, field, "a string");
  return cleanText(value).trim();
}

/** Returns a list of strings; accepts a single one. */
function texts(entry: Entry, field: string): readonly string[] {
  const value = entry.fields[field] ?? [];
  const single = typeof value === "string" ? [value] : value;
  if (!Array.isArray(single)) throw wrong(entry, field, "a list of strings");
  return single
    .map((item: YamlValue, at) => cleanText(listItem(entry, { field, at, item })).trim())
    .filter((item) => item !== "");
}

interface ListItem {
  readonly field: string;
  readonly at: number;
  readonly item: YamlValue;
}

/** Accepts `- Note: this`, which its author meant as a sentence and YAML reads as a mapping. */
function listItem(entry: Entry, { field, at, item }: ListItem): string {
  if (item === null) return "";
  if (typeof item === "string") return item;
  const place = entry.yaml.place(["tasks", entry.index, field, at]);
  const written = entry.yaml.text.slice(place?.start, place?.end).trim();
  if (written.includes("\n")) throw wrong(entry, field, "a list of strings");
  return written;
}

function boolean(entry: Entry, field: string): boolean {
  const answer = yamlBoolean(entry.fields[field] ?? "false");
  if (answer === undefined) throw wrong(entry, field, "true or false");
  return answer;
}

/** Returns the flag under its name if the entry has it: an import leaves an absent flag unchanged. */
function statedFlag<N extends string>(entry: Entry, name: N, field: string): { readonly [K in N]?: boolean } {
  if (entry.fields[field] === undefined) return {};
  return { [name]: boolean(entry, field) } as { readonly [K in N]?: boolean };
}

function integer(entry: Entry, field: string): number | null {
  const value = entry.fields[field] ?? null;
  if (value === null) return null;
  const number = yamlInteger(value);
  if (number === undefined) throw wrong(entry, field, "an integer");
  return number;
}

function wrong({ yaml, fields, index }: Entry, field: string, expected: string): RalphError {
  const where = yamlPosition(yaml, ["tasks", index, field]);
  const id = fields["id"];
  const of = typeof id === "string" && field !== "id" ? ` of task ${id}` : "";
  return new RalphError("RALPH_IMPORT_INVALID", `${where}: \`${field}\`${of} must be ${expected}`, {
    hint: "Nothing was imported. Fix the file and import it again.",
  });
}
