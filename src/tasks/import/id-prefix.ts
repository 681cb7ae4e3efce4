import { RalphError } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { clip } from "../../base/text.ts";
import type { SourceFormat, Task } from "../task.ts";
import type { ImportedTask } from "./imported-task.ts";

interface Question {
  readonly source: { readonly path: string; readonly format: SourceFormat };
  readonly found: readonly { readonly imported: ImportedTask; readonly existing: Task | undefined }[];
  /** The project's tasks by id. */
  readonly holders: ReadonlyMap<string, Task>;
  /** Whether the file that a task came from is gone. */
  readonly isGone: (task: Task) => Promise<boolean>;
}

interface Prefix {
  /** `<name>:`, or "" where the list's ids are free. */
  readonly prefix: string;
  readonly warnings: readonly string[];
}

/** An id of a tracker means the same in every file; one of a list is only unique in it. */
const trackers: ReadonlySet<SourceFormat> = new Set(["beads", "github-issues"]);
const none: Prefix = { prefix: "", warnings: [] };

/**
 * Finds what to put before the ids of a list's new tasks. Two lists may both begin with `1`: the one that is imported
 * later is qualified, all its new tasks alike, and keeps its prefix. RALPH_IMPORT_ID_TAKEN when an id belongs to a
 * task of a person, of a tracker, or of a file that is gone: it may well be the same task.
 */
export async function prefixFor({ source, found, holders, isGone }: Question): Promise<Prefix> {
  const fresh = found.flatMap(({ imported, existing }) =>
    existing || imported.id === null ? [] : [imported],
  );
  const before = prefixBefore(found);
  const ids = fresh.map(({ id }) => id ?? "");
  if (before !== undefined && ids.every((id) => !holders.has(before + id)))
    return { prefix: before, warnings: [] };
  const taken = fresh.filter(({ id }) => holders.has(id ?? ""));
  for (const { id, line } of taken) {
    const holder = holders.get(id ?? "");
    const isList = holder?.source && !trackers.has(holder.source.format) && !trackers.has(source.format);
    if (!isList || holder.source?.path === source.path || (await isGone(holder)))
      throw idTaken({ path: source.path, line }, id ?? "", holder);
  }
  const [first] = taken;
  if (!first) return none;
  const prefix = candidates(source.path, first.id ?? "").find((name) =>
    ids.every((id) => !holders.has(name + id)),
  );
  const holder = holders.get(first.id ?? "");
  if (prefix === undefined) throw idTaken({ path: source.path, line: first.line }, first.id ?? "", holder);
  const warning = `${source.path}: the id ${first.id} belongs to ${holder?.source?.path}; ids from this file begin with ${prefix} (${prefix}${first.id})`;
  return { prefix, warnings: [warning] };
}

/** The prefix that the file's tasks have from an earlier import. */
function prefixBefore(found: Question["found"]): string | undefined {
  for (const { imported, existing } of found) {
    const end = `:${imported.id}`;
    if (existing && imported.id !== null && existing.id.endsWith(end))
      return existing.id.slice(0, existing.id.length - end.length + 1);
  }
  return undefined;
}

/** File names that say nothing of what is in them. */
const general = /^(?:tasks?|todos?|plan|prd|issues|checklist|readme|index|openspec|changes|archive|docs?)$/i;

/** Names for a list, the most telling first: the file's, then those of its folders, at last with a hash of the path. */
function candidates(path: string, id: string): readonly string[] {
  const segments = path
    .replace(/\.[^./]+$/, "")
    .split("/")
    .toReversed();
  const names = segments
    .map((segment) => segment.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+/, ""))
    .filter((name) => name !== "" && !id.startsWith(`${name}:`));
  const telling = [...names.filter((name) => !general.test(name)), ...names];
  const short = (name: string): string => clip(name, 40).replace("…", "");
  const hashed = `${short(names[0] ?? "list")}-${sha256(path).slice(0, 6)}`;
  return [...telling.map(short), hashed].map((name) => `${name}:`);
}

export function idTaken(
  { path, line }: { readonly path: string; readonly line: number },
  id: string,
  holder: Task | undefined,
): RalphError {
  const from = holder?.source
    ? `which came from ${holder.source.path}`
    : "which was not imported from a file";
  return new RalphError("RALPH_IMPORT_ID_TAKEN", `${path}:${line}: there is already a task ${id}, ${from}`, {
    hint: `Give it another id in ${path}.`,
  });
}
