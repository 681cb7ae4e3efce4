import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../base/json.ts";
import { type EntryFormat, EntryRefused } from "./hunk.ts";

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
