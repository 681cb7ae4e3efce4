import { RalphError } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { jsonFault } from "../../base/json-fault.ts";
import { type JsonPlace, jsonMember, jsonMembers } from "../../base/json-places.ts";
import { cleanText } from "../../base/text.ts";

/** An object of a JSON source, with where it stands: for reading its fields and for naming them in errors. */
export interface JsonEntry {
  readonly path: string;
  readonly text: string;
  readonly place: JsonPlace;
  /** The line in the file where it begins, from 1. */
  readonly line: number;
  readonly fields: JsonObject;
  /** What errors call it, as `task US-1`; "" while its id is not known. */
  readonly name?: string;
}

/**
 * The value that the text holds, which begins in line `firstLine` of its file. RALPH_JSON_INVALID with line and column
 * of the fault.
 */
export function parseJsonSource(path: string, text: string, firstLine = 1): JsonValue {
  const from = text.startsWith("\uFEFF") ? 1 : 0;
  try {
    return JSON.parse(text.slice(from)) as JsonValue;
  } catch (cause) {
    const fault = jsonFault(text, from);
    const where = fault ? position(path, text, { offset: fault.offset, firstLine }) : path;
    const message = `${where}: this is no JSON${fault ? `: expected ${fault.expected}` : ""}`;
    throw new RalphError("RALPH_JSON_INVALID", message, {
      hint: "Nothing was imported. Mend the file there.",
      cause,
    });
  }
}

interface Spot {
  readonly offset: number;
  readonly firstLine: number;
}

function position(path: string, text: string, { offset, firstLine }: Spot): string {
  const before = text.slice(0, offset);
  const lineBreaks = before.split("\n").length - 1;
  return `${path}:${firstLine + lineBreaks}:${offset - before.lastIndexOf("\n")}`;
}

/** `file:line:column` of an offset in the entry's text. */
export function positionIn({ path, text, place, line }: JsonEntry, offset: number): string {
  const above = text.slice(0, place.start).split("\n").length - 1;
  return position(path, text, { offset, firstLine: line - above });
}

/** What is wrong with a field; with no field, with the entry. */
export function wrongField(entry: JsonEntry, field: string | null, expected: string): RalphError {
  const { text, place, name } = entry;
  const at = (field === null ? undefined : jsonMember(text, place, field)?.start) ?? place.start;
  const what = field === null ? "this" : `\`${field}\`${name ? ` of ${name}` : ""}`;
  return new RalphError("RALPH_IMPORT_INVALID", `${positionIn(entry, at)}: ${what} must be ${expected}`, {
    hint: "Nothing was imported. Mend the file and import it again.",
  });
}

/** A field's own value: undefined for one that is absent or null. */
function fieldOf({ fields }: JsonEntry, field: string): JsonValue | undefined {
  return Object.hasOwn(fields, field) ? (fields[field] ?? undefined) : undefined;
}

/** Without white space around it; "" when there is none. */
export function textField(entry: JsonEntry, field: string): string {
  const value = fieldOf(entry, field) ?? "";
  if (typeof value !== "string") throw wrongField(entry, field, "a text");
  return cleanText(value).trim();
}

/** A text or a number, which is taken as it is written: `1.10` is not `1.1`. */
export function idField(entry: JsonEntry, field: string): string {
  const value = fieldOf(entry, field);
  if (typeof value !== "number") return textField(entry, field);
  const place = jsonMember(entry.text, entry.place, field);
  return entry.text.slice(place?.start, place?.end);
}

/** The texts of a list, the empty ones left out; a single text will do. */
export function textsField(entry: JsonEntry, field: string): readonly string[] {
  const value = fieldOf(entry, field) ?? [];
  const items: readonly JsonValue[] =
    typeof value === "string" ? [value] : Array.isArray(value) ? value : [null];
  return items
    .map((item) => {
      if (typeof item !== "string") throw wrongField(entry, field, "a list of texts");
      return cleanText(item).trim();
    })
    .filter((item) => item !== "");
}

export function booleanField(entry: JsonEntry, field: string): boolean {
  const value = fieldOf(entry, field) ?? false;
  if (typeof value !== "boolean") throw wrongField(entry, field, "true or false");
  return value;
}

/** A whole number, or what is used in place of one that is absent. */
export function integerField(entry: JsonEntry, field: string, otherwise: number): number {
  const value = fieldOf(entry, field) ?? otherwise;
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw wrongField(entry, field, "a whole number");
  return value;
}

/** The text with a member of the object at `place` set to `value` (JSON), and no other byte changed. */
export function setMember(
  text: string,
  place: JsonPlace,
  member: {
    readonly key: string;
    readonly value: string /** Behind this one, if it has to be added. */;
    readonly after: string;
  },
): string {
  const members = jsonMembers(text, place);
  const present = members.findLast(({ key }) => key === member.key);
  if (present) return text.slice(0, present.start) + member.value + text.slice(present.end);
  const at = members.findLastIndex(({ key }) => key === member.after);
  const model = members[at];
  if (!model) return text;
  // As its neighbours are written: the same break and indentation before it, the same space around its colon.
  const next = members[at + 1];
  const leading = next ? text.slice(model.end, next.keyStart) : text.slice(place.start, model.keyStart);
  const space = leading.slice(leading.trimEnd().length);
  const added = `,${space}${JSON.stringify(member.key)}${text.slice(model.keyEnd, model.start)}${member.value}`;
  return text.slice(0, model.end) + added + text.slice(model.end);
}
