import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isObject } from "../../../base/json.ts";
import { type EntryFormat, EntryRefused, entryReader, lineEnding } from "./entry-format.ts";

/** Comments and trailing commas are allowed: the agents' own readers accept them. */
const options = { allowTrailingComma: true, allowEmptyContent: true, disallowComments: false };

/** Edits `section.name` in the text of a JSON file with comments, which stay. */
export function jsonEntry(section: string, name: string): EntryFormat {
  const { read, isWithout } = entryReader({ section, name, contentOf });
  return {
    read,
    isWithout,
    add: (text, value) => {
      read(text);
      const after = edited(text, [section, name], value);
      const isAdded = isDeepStrictEqual(read(after), value) && isWithout(after, text);
      if (!isAdded) throw new EntryRefused("its layout is not one that ralph can extend");
      return after;
    },
    remove: (text) => {
      const after = edited(text, [section, name], undefined);
      if (!isWithout(text, after)) throw new EntryRefused("its layout is not one that ralph can reduce");
      return after;
    },
    render: (value) => JSON.stringify({ [section]: { [name]: value } }, null, 2),
  };
}

/** Sets the value at `path`; undefined: removes it. A new entry is the first of its object, before every comment. */
function edited(text: string, path: string[], value: object | undefined): string {
  const [, mark = "", body = ""] = /^(\uFEFF?)([\s\S]*)$/.exec(text) ?? [];
  const eol = lineEnding(body);
  const indent = /\n([ \t]+)\S/.exec(body)?.[1] ?? "  ";
  const formattingOptions = { eol, insertSpaces: !indent.startsWith("\t"), tabSize: indent.length };
  const edits = modify(body, path, value, { formattingOptions, getInsertionIndex: () => 0 });
  return `${mark}${applyEdits(body, edits)}${body.trim() === "" ? eol : ""}`;
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
