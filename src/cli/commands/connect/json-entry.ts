import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isObject } from "../../../base/json.ts";
import { entryReader } from "./entry-reader.ts";
import { type Edited, type EntryFormat, EntryRefused, lineEnding } from "./hunk.ts";

/** Comments and trailing commas are allowed: the agents' own readers accept them. */
const options = { allowTrailingComma: true, allowEmptyContent: true, disallowComments: false };
const byteOrderMark = "\uFEFF";

/** Edits `section.name` in the text of a JSON file with comments; its layout and comments stay. */
export function jsonEntry(section: string, name: string): EntryFormat {
  const { read, isWithout } = entryReader({ section, name, contentOf });
  return {
    read,
    isWithout,
    add: (text, value) => {
      read(text);
      const edited = insert(text, { section, name, value });
      const isAdded = isDeepStrictEqual(read(edited.text), value) && isWithout(edited.text, text);
      if (!isAdded) throw new EntryRefused("its layout is not one that ralph can extend");
      return edited;
    },
    remove: (text) => {
      const isMarked = text.startsWith(byteOrderMark);
      const body = isMarked ? text.slice(1) : text;
      const rest = applyEdits(body, modify(body, [section, name], undefined, {}));
      const after = `${isMarked ? byteOrderMark : ""}${rest}`;
      if (!isWithout(text, after)) throw new EntryRefused("its layout is not one that ralph can reduce");
      return after;
    },
    render: (value) => JSON.stringify({ [section]: { [name]: value } }, null, 2),
  };
}

function contentOf(text: string): Readonly<Record<string, unknown>> {
  const body = text.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, options);
  const [error] = errors;
  if (error) {
    const line = body.slice(0, error.offset).split("\n").length;
    throw new EntryRefused(`line ${line} is not valid JSON (${printParseErrorCode(error.error)})`);
  }
  if (value === undefined) return {};
  if (!isObject(value)) throw new EntryRefused("it is not a JSON object");
  return value;
}

interface NewEntry {
  readonly section: string;
  readonly name: string;
  readonly value: object;
}

function insert(text: string, { section, name, value }: NewEntry): Edited {
  const start = text.startsWith(byteOrderMark) ? 1 : 0;
  const body = text.slice(start);
  const root = parseTree(body, [], options);
  const eol = lineEnding(body);
  if (!root) {
    const after = `${JSON.stringify({ [section]: { [name]: value } }, null, 2).replaceAll("\n", eol)}${eol}`;
    return { text: text.slice(0, start) + after, hunk: { before: body, after } };
  }
  const parent = findNodeAtLocation(root, [section]);
  const added: Property = parent ? { key: name, value } : { key: section, value: { [name]: value } };
  const { from, to, after } = place(body, parent ?? root, added);
  return {
    text: text.slice(0, start) + body.slice(0, from) + after + body.slice(to),
    hunk: { before: body.slice(from, to), after },
  };
}

interface Property {
  readonly key: string;
  readonly value: object;
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly after: string;
}

/** Places a property at the end of an object: on lines of its own, or inline if the object's properties are. */
function place(body: string, object: Node, property: Property): Place {
  const last = object.children?.at(-1);
  const closing = object.offset + object.length - 1;
  const from = last ? last.offset + last.length : lastContent(body, object.offset + 1, closing);
  const own = last ? indentOf(body, last.offset) : null;
  const tail = restOfLine(body, from, closing);
  if (last && own === null) return inlinePlace(body, from, { ...tail, property });
  const outer = indentOf(body, closing) ?? indentOf(body, lineStart(body, object.offset)) ?? "";
  const unit = (own?.startsWith(outer) && own.slice(outer.length)) || unitOf(body);
  const line = lineOf(property, { eol: lineEnding(body), indent: own ?? outer + unit, unit });
  const closes = body.slice(tail.end, closing).includes("\n") ? "" : `${lineEnding(body)}${outer}`;
  const separator = last && tail.comma === null ? "," : "";
  const trailing = tail.comma === null ? "" : ",";
  const rest = body.slice(from, tail.end);
  return { from, to: tail.end, after: `${separator}${rest}${line}${trailing}${closes}` };
}

function inlinePlace(
  body: string,
  from: number,
  { comma, property: { key, value } }: { readonly comma: number | null; readonly property: Property },
): Place {
  const text = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  if (comma === null) return { from, to: from, after: `, ${text}` };
  return { from, to: comma + 1, after: `${body.slice(from, comma + 1)} ${text},` };
}

function lineOf(
  { key, value }: Property,
  { eol, indent, unit }: Readonly<Record<"eol" | "indent" | "unit", string>>,
): string {
  const text = JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  return `${eol}${indent}${JSON.stringify(key)}: ${text}`;
}

/** Returns the offset after the last comment of an object without properties. */
function lastContent(body: string, from: number, to: number): number {
  return from + body.slice(from, to).trimEnd().length;
}

const sameLine = /^(?:[ \t]|\/\*[^\r\n]*?\*\/)*(?:(,)(?:[ \t]|\/\*[^\r\n]*?\*\/)*)?(?:\/\/[^\r\n]*)?/d;
const laterComma = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*,/;

/** Finds what follows a property on its line: a comma, comments. A comma on a later line still separates the properties. */
function restOfLine(
  body: string,
  from: number,
  closing: number,
): { readonly comma: number | null; readonly end: number } {
  const rest = body.slice(from, closing);
  const line = sameLine.exec(rest);
  const comma = line?.indices?.[1]?.[0] ?? null;
  const later = comma === null ? laterComma.exec(rest) : null;
  if (later) return { comma: from + later[0].length - 1, end: from + later[0].length };
  return { comma: comma === null ? null : from + comma, end: from + (line?.[0].trimEnd().length ?? 0) };
}

function lineStart(body: string, at: number): number {
  const start = body.lastIndexOf("\n", at - 1) + 1;
  return start + (/^[ \t]*/.exec(body.slice(start))?.[0].length ?? 0);
}

/** Returns the white space before `at` if nothing else is before it on its line, otherwise null. */
function indentOf(body: string, at: number): string | null {
  const line = body.slice(body.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*$/.test(line) && body.slice(0, at).includes("\n") ? line : null;
}

/** Returns the indentation of the text's first indented line, else two spaces. */
function unitOf(body: string): string {
  return /\n([ \t]+)\S/.exec(body)?.[1] ?? "  ";
}
