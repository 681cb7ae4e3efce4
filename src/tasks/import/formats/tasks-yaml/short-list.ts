import { RalphError } from "../../../../base/errors.ts";
import { isYamlObject, type ParsedYaml, parseLongYaml, type YamlValue } from "../../../../base/yaml.ts";

/** A list without some of its entries. Each entry that is left means what it means in the whole list. */
export interface ShortList {
  readonly yaml: ParsedYaml;
  /** Maps an offset in the short text to the whole; the end of an entry stays its end. */
  originalOffset(offset: number): number;
}

/**
 * Returns the list without the entries that `keep` refuses: reading a list of 10,000 takes seconds, and one entry is to be
 * ticked. Undefined for a list that must be read whole: in braces, with aliases, with entries without an id, or not valid without those entries. A list
 * that is not valid because of them is not noticed.
 *
 * Within a list in block style, a line with a dash in the list's column always begins an entry: the text of an entry is
 * indented more, and the parser ends it at such a line.
 */
export async function shortList(
  file: string,
  text: string,
  keep: (entry: string) => boolean,
): Promise<ShortList | undefined> {
  const list = findList(text);
  if (!list) return undefined;
  const kept: Part[] = [];
  let at = 0;
  for (const { start, end } of list.entries) {
    const entry = text.slice(start, end);
    // The meaning of an alias depends on the entries before it.
    if (keep(entry) || mayHoldAlias.test(entry)) continue;
    kept.push({ start: at, end: start });
    at = end;
  }
  kept.push({ start: at, end: text.length });
  const short = kept.map(({ start, end }) => text.slice(start, end)).join("");
  const yaml = await parseValid(short, file);
  if (!yaml || yaml.hasAliases || yaml.place([])?.flow !== false) return undefined;
  if (yaml.place(["tasks"])?.key?.start !== list.key || !haveIds(yaml.value)) return undefined;
  return { yaml, originalOffset: (offset) => originalOffset(kept, offset) };
}

/** Entries without an id differ by their order in the whole list. */
function haveIds(value: YamlValue): boolean {
  const tasks = isYamlObject(value) ? value["tasks"] : undefined;
  return !Array.isArray(tasks) || tasks.every((entry) => !isYamlObject(entry) || entry["id"] !== undefined);
}

/** Returns two versions of a list without the entries that both have; undefined if one must be read whole. */
export async function withoutShared(
  file: string,
  former: string,
  current: string,
): Promise<readonly [string, string] | undefined> {
  const [inFormer, inCurrent] = [entryTexts(former), entryTexts(current)];
  const before = await shortList(file, former, (entry) => !inCurrent.has(entry));
  const after = before && (await shortList(file, current, (entry) => !inFormer.has(entry)));
  return before && after && [before.yaml.text, after.yaml.text];
}

const idField =
  /["']?\bid["']?[ \t]*:[ \t]+(?:"(?<double>[^"\\\n]*)"|'(?<single>[^'\n]*)'|(?<plain>[^\s"',}#][^\n\r,}#]*))/g;

/** Returns true if the entry may have one of these ids. False for one that writes it in another way than most. */
export function mayHaveId(entry: string, ids: ReadonlyMap<string, unknown>): boolean {
  for (const { groups } of entry.matchAll(idField)) {
    const id = groups?.["double"] ?? groups?.["single"] ?? groups?.["plain"] ?? "";
    if (ids.has(id.trim())) return true;
  }
  return false;
}

const mayHoldAlias = /(?:^|[\s[{,:])\*[^\s*]/;

/** Offsets; `end` is after it. */
interface Part {
  readonly start: number;
  readonly end: number;
}

interface FoundList {
  /** The offset of `tasks:`. */
  readonly key: number;
  readonly entries: readonly Part[];
}

/** Finds the list `tasks:` in block style at the left edge, and its entries. */
function findList(text: string): FoundList | undefined {
  const found = /(?:^|\n)(tasks:[ \t]*(?:#.*)?\r?\n)/.exec(text);
  if (!found) return undefined;
  let at = found.index + found[0].length;
  const key = at - (found[1] ?? "").length;
  const starts: number[] = [];
  let column: number | undefined;
  for (let line = lineAt(text, at); line; line = lineAt(text, at)) {
    column ??= line.column;
    const isEntry = line.isDash && line.column === column;
    if (isEntry) starts.push(at);
    else if (line.column !== undefined && column !== undefined && line.column <= column) break;
    at = line.end;
  }
  if (starts.length === 0) return undefined;
  return { key, entries: starts.map((start, index) => ({ start, end: starts[index + 1] ?? at })) };
}

interface Line {
  /** The offset of the next line. */
  readonly end: number;
  /** The column of its text, from 0; undefined for a line that is blank or a comment. */
  readonly column: number | undefined;
  /** Its text begins with the dash of an entry. */
  readonly isDash: boolean;
}

function lineAt(text: string, start: number): Line | undefined {
  if (start >= text.length) return undefined;
  const end = text.indexOf("\n", start) + 1 || text.length;
  let at = start;
  while (text[at] === " ") at++;
  const isText = at < end && !/[\r\n#]/.test(text.charAt(at));
  const isDash = text[at] === "-" && (at + 1 === end || /[ \t\r\n]/.test(text.charAt(at + 1)));
  return { end, column: isText ? at - start : undefined, isDash };
}

function entryTexts(text: string): ReadonlySet<string> {
  return new Set(findList(text)?.entries.map(({ start, end }) => text.slice(start, end)));
}

function originalOffset(kept: readonly Part[], offset: number): number {
  let left = offset;
  for (const { start, end } of kept) {
    if (left <= end - start) return start + left;
    left -= end - start;
  }
  return kept.at(-1)?.end ?? offset;
}

/** Returns undefined for a text that is not valid. */
export async function parseValid(text: string, file: string): Promise<ParsedYaml | undefined> {
  try {
    return await parseLongYaml(text, { file });
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}
