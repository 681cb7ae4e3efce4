import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml, stringify } from "smol-toml";
import { messageOf } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";

/** Adds one named entry to the text of a configuration file, and removes it. */
export interface EntryFormat {
  /** Returns the entry's value; undefined: it is not there. Throws `EntryRefused` when the text cannot be read. */
  read(text: string): unknown;
  /** Adds the entry. Throws `EntryRefused` when that is not possible without changing another value. */
  add(text: string, value: object): string;
  /** Removes the entry. Throws `EntryRefused` as `add` does. */
  remove(text: string): string;
  /** Returns true when `after` has the content of `text` without the entry; an empty section counts as absent. */
  isWithout(text: string, after: string): boolean;
  /** Returns the entry as a person would write it. */
  render(value: object): string;
}

/** Why ralph cannot edit a configuration file. */
export class EntryRefused extends Error {}

interface EntryPlace {
  readonly section: string;
  readonly name: string;
  /** Parses a file. Throws `EntryRefused`. */
  readonly contentOf: (text: string) => Readonly<Record<string, unknown>>;
}

/** Returns the reading half of an `EntryFormat`, which works on parsed content. */
function entryReader({ section, name, contentOf }: EntryPlace): Pick<EntryFormat, "read" | "isWithout"> {
  const read = (text: string): unknown => {
    const entries = contentOf(text)[section];
    if (entries !== undefined && !isObject(entries)) throw new EntryRefused(`"${section}" is not an object`);
    return entries?.[name];
  };
  const without = (text: string): object => {
    const { [section]: entries, ...rest } = contentOf(text);
    const { [name]: _, ...others } = isObject(entries) ? entries : {};
    return Object.keys(others).length === 0 ? rest : { ...rest, [section]: others };
  };
  const isWithout = (text: string, after: string): boolean => {
    try {
      return read(after) === undefined && isDeepStrictEqual(without(text), without(after));
    } catch {
      return false;
    }
  };
  return { read, isWithout };
}

/** Returns the line ending of a text: that of its first line, else `\n`. */
function lineEnding(text: string): "\n" | "\r\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}

/** Comments and trailing commas are allowed: the agents' own readers accept them. */
const options = { allowTrailingComma: true, allowEmptyContent: true, disallowComments: false };

/** Edits `section.name` in the text of a JSON file with comments, which stay. */
export function jsonEntry(section: string, name: string): EntryFormat {
  const { read, isWithout } = entryReader({ section, name, contentOf: jsonContent });
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

function jsonContent(text: string): Readonly<Record<string, unknown>> {
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

/** Edits the table `[section.name]` in the text of a TOML file: it is added at the end; every other line stays. */
export function tomlEntry(section: string, name: string): EntryFormat {
  const { read, isWithout } = entryReader({ section, name, contentOf: tomlContent });
  const render = (value: object): string => stringify({ [section]: { [name]: value } }).trim();
  return {
    read,
    isWithout,
    render,
    add: (text, value) => {
      read(text);
      const eol = lineEnding(text);
      const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
      const longer = `${text}${gap}${render(value).replaceAll("\n", eol)}${eol}`;
      if (!isWithout(longer, text) || !isDeepStrictEqual(read(longer), value))
        throw new EntryRefused(`it defines "${section}" in a way that cannot be extended by a table`);
      return longer;
    },
    remove: (text) => {
      const after = withoutTables(text, section, name);
      if (!isWithout(text, after)) throw new EntryRefused("the entry is not a table of its own");
      return after;
    },
  };
}

function tomlContent(text: string): Readonly<Record<string, unknown>> {
  try {
    // Its objects have no prototype, which a comparison would count.
    return structuredClone(parseToml(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    throw new EntryRefused(`it is not valid TOML: ${messageOf(error).split("\n")[0]}`);
  }
}

/** Removes the table and its sub-tables; comments and blank lines before the next table belong to that one. */
function withoutTables(text: string, section: string, name: string): string {
  const key = (word: string): string => `(?:${word}|"${word}"|'${word}')`;
  const own = new RegExp(`^\\s*\\[\\[?\\s*${key(section)}\\s*\\.\\s*${key(name)}\\s*[.\\]]`);
  const kept: string[] = [];
  let held: string[] = [];
  let inside = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) {
      inside = own.test(line);
      if (!inside) for (const one of held) kept.push(one);
      held = [];
    }
    if (!inside) kept.push(line);
    else if (/^\s*(?:#|$)/.test(line)) held.push(line);
    else held = [];
  }
  return [...kept, ...held].join("");
}
