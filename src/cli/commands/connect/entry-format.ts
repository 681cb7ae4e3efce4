import { isDeepStrictEqual } from "node:util";
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
export function entryReader({
  section,
  name,
  contentOf,
}: EntryPlace): Pick<EntryFormat, "read" | "isWithout"> {
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
export function lineEnding(text: string): "\n" | "\r\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}
