import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import { messageOf } from "../../../base/errors.ts";
import { type EntryFormat, EntryRefused, entryReader, lineEnding } from "./entry-format.ts";

/** Edits the table `[section.name]` in the text of a TOML file: it is added at the end; every other line stays. */
export function tomlEntry(section: string, name: string): EntryFormat {
  const { read, isWithout } = entryReader({ section, name, contentOf });
  const render = (value: object): string => stringify({ [section]: { [name]: value } }).trim();
  return {
    read,
    isWithout,
    render,
    add: (text, value) => {
      read(text);
      const eol = lineEnding(text);
      const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
      const edited = `${text}${gap}${render(value).replaceAll("\n", eol)}${eol}`;
      if (!isDeepStrictEqual(tryRead(read, edited), value) || !isWithout(edited, text))
        throw new EntryRefused(`it defines "${section}" in a way that cannot be extended by a table`);
      return edited;
    },
    remove: (text) => {
      const after = withoutTables(text, section, name);
      if (!isWithout(text, after)) throw new EntryRefused("the entry is not a table of its own");
      return after;
    },
  };
}

function contentOf(text: string): Readonly<Record<string, unknown>> {
  try {
    // Its objects have no prototype, which a comparison would count.
    return structuredClone(parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    throw new EntryRefused(`it is not valid TOML: ${messageOf(error).split("\n")[0]}`);
  }
}

function tryRead(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch {
    return undefined;
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
