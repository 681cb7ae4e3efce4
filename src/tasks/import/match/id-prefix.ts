import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { clip } from "../../../base/text.ts";
import type { SourceFormat, Task } from "../../graph/task.ts";
import type { ImportedTask } from "../source/imported-task.ts";

interface PrefixRequest {
  readonly source: { readonly path: string; readonly format: SourceFormat };
  readonly found: readonly { readonly imported: ImportedTask; readonly existing: Task | undefined }[];
  /** The project's tasks by id. */
  readonly holders: ReadonlyMap<string, Task>;
  /** Resolves to true if the source file of a task no longer exists. */
  readonly isGone: (task: Task) => Promise<boolean>;
}

interface PrefixResult {
  /** `<name>:`, or "" if the list's ids are unused. */
  readonly prefix: string;
  readonly warnings: readonly string[];
}

/** Formats whose ids identify the same issue in every file. Other ids are unique only within their file. */
const trackers: ReadonlySet<SourceFormat> = new Set(["beads", "github-issues"]);
const none: PrefixResult = { prefix: "", warnings: [] };

/**
 * Selects the prefix for the ids of a list's new tasks. Two lists can both begin with `1`: the list that is imported later
 * gets a prefix for all its new tasks, and keeps it. Throws RALPH_IMPORT_ID_TAKEN if an id belongs to a task of a person,
 * a tracker, or a deleted file, because it can be the same task.
 */
export async function prefixFor({ source, found, holders, isGone }: PrefixRequest): Promise<PrefixResult> {
  const fresh = found.flatMap(({ imported, existing }) =>
    existing || imported.id === null ? [] : [imported],
  );
  // The numbers of a checklist can move to other items of the same file: `newIdFor` selects other ids.
  const isOwn = (holder: Task | undefined): boolean =>
    source.format === "markdown" && holder?.source?.path === source.path;
  const before = prefixBefore(found);
  const ids = fresh.map(({ id }) => id ?? "");
  const isFree = (id: string): boolean => !holders.has(id) || isOwn(holders.get(id));
  if (before !== undefined && ids.every((id) => isFree(before + id))) return { prefix: before, warnings: [] };
  const taken = fresh.filter(({ id }) => {
    const holder = holders.get(id ?? "");
    return holder !== undefined && !isOwn(holder);
  });
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

/** Returns the prefix that the file's tasks have from an earlier import. */
function prefixBefore(found: PrefixRequest["found"]): string | undefined {
  for (const { imported, existing } of found) {
    const end = `:${imported.id}`;
    if (existing && imported.id !== null && existing.id.endsWith(end))
      return existing.id.slice(0, existing.id.length - end.length + 1);
  }
  return undefined;
}

/** File names that do not describe their content. */
const genericNames =
  /^(?:tasks?|todos?|plan|prd|issues|checklist|readme|index|openspec|changes|archive|docs?)$/i;

/** Returns prefixes for a list, most specific first: from the file's name, its folders, and a hash of the path. */
function candidates(path: string, id: string): readonly string[] {
  const segments = path
    .replace(/\.[^./]+$/, "")
    .split("/")
    .toReversed();
  const names = segments
    .map((segment) => segment.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+/, ""))
    .filter((name) => name !== "" && !id.startsWith(`${name}:`));
  const ranked = [...names.filter((name) => !genericNames.test(name)), ...names];
  const short = (name: string): string => clip(name, 40).replace("…", "");
  const hashed = `${short(names[0] ?? "list")}-${sha256(path).slice(0, 6)}`;
  return [...ranked.map(short), hashed].map((name) => `${name}:`);
}

export function idTaken(
  { path, line }: { readonly path: string; readonly line: number },
  id: string,
  holder: Task | undefined,
): RalphError {
  const from = holder?.source ? `was imported from ${holder.source.path}` : "was not imported from a file";
  return new RalphError("RALPH_IMPORT_ID_TAKEN", `${path}:${line}: task ${id} already exists and ${from}`, {
    hint: `Give it another id in ${path}.`,
  });
}
