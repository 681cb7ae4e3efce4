import { RalphError } from "../../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { cleanText } from "../../../base/text.ts";
import { findJsonFault, type JsonNode, memberOf, membersOf, parseTree, writtenText } from "./json-tree.ts";
import type { TextEdit } from "./text-edit.ts";

/** A JSON text: its value and the tree that locates each part of it. */
export interface JsonDocument {
  readonly value: JsonValue;
  readonly root: JsonNode;
}

/** An object of a JSON source with its place, which reading its fields and reporting errors need. */
export interface JsonEntry {
  readonly path: string;
  readonly text: string;
  readonly node: JsonNode;
  /** The line of the file where the object begins, from 1. */
  readonly line: number;
  readonly fields: JsonObject;
  /** Identifies the entry in errors, such as `task US-1`; absent while its id is unknown. */
  readonly name?: string;
}

/**
 * Parses a text that begins in line `firstLine` of its file. Throws RALPH_JSON_INVALID with the line and the column of
 * the first fault; nesting beyond the parser's limit is a fault.
 */
export function parseJsonSource(path: string, text: string, firstLine = 1): JsonDocument {
  const fault = findJsonFault(text);
  if (!fault) return { value: JSON.parse(text.replace(/^\uFEFF/, "")) as JsonValue, root: parseTree(text) };
  const where = position(path, text, { offset: fault.offset, firstLine });
  throw new RalphError("RALPH_JSON_INVALID", `${where}: invalid JSON: ${fault.problem}`, {
    hint: "Nothing was imported. Fix the file there.",
  });
}

interface TextOffset {
  readonly offset: number;
  /** The line of the file where the text begins. */
  readonly firstLine: number;
}

function position(path: string, text: string, { offset, firstLine }: TextOffset): string {
  const before = text.slice(0, offset);
  const lineBreaks = before.split("\n").length - 1;
  return `${path}:${firstLine + lineBreaks}:${offset - before.lastIndexOf("\n")}`;
}

/** Returns `file:line:column` of an offset in the entry's text. */
export function positionIn({ path, text, node, line }: JsonEntry, offset: number): string {
  const above = text.slice(0, node.offset).split("\n").length - 1;
  return position(path, text, { offset, firstLine: line - above });
}

/** Returns the error for an unexpected value of `field`, or of the entry itself if `field` is null. */
export function wrongField(entry: JsonEntry, field: string | null, expected: string): RalphError {
  const { node, name } = entry;
  const at = field === null ? node : (memberOf(node, field)?.value ?? node);
  const subject = field === null ? "this" : `\`${field}\`${name ? ` of ${name}` : ""}`;
  const where = positionIn(entry, at.offset);
  return new RalphError("RALPH_IMPORT_INVALID", `${where}: ${subject} must be ${expected}`, {
    hint: "Nothing was imported. Fix the file and import it again.",
  });
}

/** Returns a field's value; undefined if it is absent or null. */
function fieldOf({ fields }: JsonEntry, field: string): JsonValue | undefined {
  return Object.hasOwn(fields, field) ? (fields[field] ?? undefined) : undefined;
}

/** Returns the trimmed text of a field; "" if it is absent. */
export function textField(entry: JsonEntry, field: string): string {
  const value = fieldOf(entry, field) ?? "";
  if (typeof value !== "string") throw wrongField(entry, field, "a string");
  return cleanText(value).trim();
}

/** Returns a string, or a number exactly as written: `1.10` is not `1.1`. */
export function idField(entry: JsonEntry, field: string): string {
  const value = fieldOf(entry, field);
  if (typeof value !== "number") return textField(entry, field);
  const member = memberOf(entry.node, field);
  return member ? writtenText(entry.text, member.value) : `${value}`;
}

/** Returns the strings of a list without the empty ones; accepts a single string. */
export function textsField(entry: JsonEntry, field: string): readonly string[] {
  const value = fieldOf(entry, field) ?? [];
  const items: readonly JsonValue[] =
    typeof value === "string" ? [value] : Array.isArray(value) ? value : [null];
  return items
    .map((item) => {
      if (typeof item !== "string") throw wrongField(entry, field, "a list of strings");
      return cleanText(item).trim();
    })
    .filter((item) => item !== "");
}

export function booleanField(entry: JsonEntry, field: string): boolean {
  const value = fieldOf(entry, field) ?? false;
  if (typeof value !== "boolean") throw wrongField(entry, field, "true or false");
  return value;
}

/** Returns an integer, or `fallback` if the field is absent. */
export function integerField(entry: JsonEntry, field: string, fallback: number): number {
  const value = fieldOf(entry, field) ?? fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw wrongField(entry, field, "an integer");
  return value;
}

interface NewMember {
  readonly key: string;
  /** JSON text. */
  readonly value: string;
  /** The key of the member that a new member follows. */
  readonly after: string;
}

/** Returns the edits that set one member of the object `node`; none if it cannot have the member. */
export function setMember(text: string, node: JsonNode, { key, value, after }: NewMember): TextEdit[] {
  const present = memberOf(node, key)?.value;
  if (present) return [{ start: present.offset, end: present.offset + present.length, text: value }];
  const members = membersOf(node);
  const at = members.findLastIndex((member) => member.key.value === after);
  const model = members[at];
  if (!model) return [];
  // Written as its neighbours are: the same line break and indentation before it, the same space around its colon.
  const next = members[at + 1];
  const end = model.value.offset + model.value.length;
  const leading = next ? text.slice(end, next.key.offset) : text.slice(node.offset, model.key.offset);
  const space = leading.slice(leading.trimEnd().length);
  const colon = text.slice(model.key.offset + model.key.length, model.value.offset);
  return [{ start: end, end, text: `,${space}${JSON.stringify(key)}${colon}${value}` }];
}

/** Returns a function from offsets to line numbers, from 1. Offsets must be passed in ascending order. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  // Kept for the next call: a file of one line has none, and each search for it reads the whole text.
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}
