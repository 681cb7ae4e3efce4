import { messageOf, RalphError } from "../base/errors.ts";
import { clip } from "../base/text.ts";
import type { Reader } from "../store/port/db.ts";
import { writeFileSafely } from "../trust/safe-file.ts";
import type { ListText, Task, TaskSource, TaskStatus } from "./graph/task.ts";
import { withoutForeignTicks } from "./import/foreign-ticks.ts";
import { importedLists } from "./import/read-list.ts";
import { type ListPlace, restoreList } from "./import/restore-list.ts";
import { encodeList, readSourceFile, type SourceFile } from "./import/source/source-file.ts";
import { formatNamed } from "./import/source-formats.ts";

/** A source file in which a task is now ticked, or unticked. */
export interface TickedSource {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** False: the entry already had this state, and the file was not written. */
  readonly changed: boolean;
  /** Its text before, and now. */
  readonly before: string;
  readonly text: string;
}

/**
 * Ticks a task in its source file and keeps every other byte. Searches the current content for the entry. Returns
 * undefined, and writes nothing, if the task has no file, the file or the entry no longer exists, or the file is outside
 * the project. An entry without a place for a tick (a heading, a GitHub issue) is left unchanged. Errors: those of
 * `readSourceFile` and `writeFileSafely` (RALPH_PATH_SYMLINK), RALPH_YAML_INVALID or RALPH_JSON_INVALID for a file that
 * is no longer valid, RALPH_WRITE_BACK.
 */
export async function tickSource(projectRoot: string, task: Task): Promise<TickedSource | undefined> {
  return writeTick(projectRoot, task, "tick");
}

/** Returns the text of a task's file with the task ticked; undefined if it has no such entry. Errors as `tickSource`. */
export async function tickText(task: Task, text: string): Promise<string | undefined> {
  if (!task.source) return undefined;
  const { path, format, key } = task.source;
  return formatNamed(format).mark({ path, text }, new Map([[key, true]]));
}

/** Unticks a task in its source file: the reverse of `tickSource`, with the same errors. */
export async function untickSource(projectRoot: string, task: Task): Promise<TickedSource | undefined> {
  return writeTick(projectRoot, task, "untick");
}

/** Returns the text that `tickSource` reads and the result of a change of the entry; undefined if either is gone. */
async function editEntry(
  projectRoot: string,
  { path, format, key }: TaskSource,
  change: "tick" | "untick",
): Promise<{ readonly source: SourceFile; readonly text: string } | undefined> {
  const source = await readSourceFile(projectRoot, path).catch((error: unknown) => {
    if (error instanceof RalphError && error.code === "RALPH_IMPORT_NOT_FOUND") return undefined;
    throw error;
  });
  const marks = new Map([[key, change === "tick"]]);
  const text = source && (await formatNamed(format).mark({ path, text: source.text }, marks));
  return source && text !== undefined ? { source, text } : undefined;
}

/** Returns true if the task's file contains the task. Throws the errors of `tickSource` for a file that is not valid. */
export async function isListed(projectRoot: string, { source }: Task): Promise<boolean> {
  return source !== null && (await editEntry(projectRoot, source, "untick")) !== undefined;
}

/** Times that a list is read because a person saves it meanwhile; a program that writes it all the time must not stop a run. */
const maxReads = 5;

async function writeTick(
  projectRoot: string,
  task: Task,
  change: "tick" | "untick",
): Promise<TickedSource | undefined> {
  if (!task.source) return undefined;
  const { path } = task.source;
  for (let reads = 1; ; reads++) {
    const edit = await editEntry(projectRoot, task.source, change);
    if (!edit?.source.inside) return undefined;
    const { source, text } = edit;
    const texts = { before: source.text, text };
    if (text === source.text) return { path, changed: false, ...texts };
    const now = await readIfThere(projectRoot, path);
    if (now?.text !== source.text && reads < maxReads) continue;
    await writeFileSafely(source.absolute, encodeList(text, source.encoding), { root: projectRoot });
    return { path, changed: true, ...texts };
  }
}

async function readIfThere(projectRoot: string, path: string): Promise<SourceFile | undefined> {
  return readSourceFile(projectRoot, path).catch(ignoreRefusal);
}

/** Reads the imported files of the project that exist, for `revertTicks`. */
export async function readLists(q: Reader, projectRoot: string): Promise<readonly ListText[]> {
  const lists: ListText[] = [];
  for (const { path, format } of await importedLists(q)) {
    const source = await readIfThere(projectRoot, path);
    if (source?.inside) lists.push({ path, format, text: source.text, encoding: source.encoding });
  }
  return lists;
}

/**
 * Reverts the checkboxes that changed since `before` without a change of the task's status (TASK-10): an agent's tick would
 * count as a person's in the next comparison, and a file does not show who changed it. Other edits stay, unless a checkbox
 * cannot be put back alone, or no list is left that can be read: then the whole list is put back, after it was copied to the
 * folder `keepIn`. Edits that a person saves meanwhile stay, or are in the copy. Returns a warning for each changed file. Throws RALPH_WRITE_BACK for such a list whose former text is unknown
 * (empty).
 */
export async function revertTicks(
  q: Reader,
  place: TickPlace,
  before: readonly ListText[],
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const list of before) {
    const warning = await revertList(q, place, list);
    if (warning !== undefined) warnings.push(warning);
  }
  return warnings;
}

/** `keepIn` null: no list is put back whole; it is only reported. */
type TickPlace = Omit<ListPlace, "keepIn"> & { readonly keepIn: string | null };

/** Returns the warning for a list that was changed. */
async function revertList(
  q: Reader,
  place: TickPlace,
  { path, format, text: former, encoding }: ListText,
): Promise<string | undefined> {
  for (let reads = 1; ; reads++) {
    const source = await readIfThere(place.projectRoot, path);
    if (!source && former !== "")
      return restoreWhole(place, path, {
        former: encodeList(former, encoding),
        why: "it can no longer be read",
      });
    if (!source?.inside || source.text === former) return undefined;
    const tasks = await listedStates(q, path);
    const done = new Set(tasks.filter(({ status }) => status === "done").map(({ key }) => key));
    const reverted = await withoutForeignTicks(
      formatNamed(format),
      { path, text: source.text },
      { former, done },
    );
    if (reverted?.text === source.text) return undefined;
    const now = await readIfThere(place.projectRoot, path);
    if (reverted === undefined) {
      const why =
        "no list was left that can be read after the iteration, or checkboxes changed that cannot be put back alone";
      const other = now ?? source;
      return restoreWhole(place, path, {
        former: encodeList(former, encoding),
        text: encodeList(other.text, other.encoding),
        why,
      });
    }
    if (now?.text !== source.text && reads < maxReads) continue;
    await writeFileSafely(source.absolute, encodeList(reverted.text, source.encoding), {
      root: place.projectRoot,
    });
    const ids = new Map(tasks.map(({ key, id }) => [key, id]));
    const names = reverted.entries
      .map(({ key, title }) => `${ids.get(key) ?? ""} ${title}`.trim())
      .join("; ");
    return `put back checkboxes in ${path} that changed during the iteration: ${clip(names, 200)}; a person uses \`ralph task done ID\` or \`ralph task retry ID\``;
  }
}

/** An agent can make it impossible; the task's own outcome stands. */
async function restoreWhole(
  { projectRoot, keepIn }: TickPlace,
  path: string,
  { why, ...texts }: { readonly former: Buffer; readonly text?: Buffer; readonly why: string },
): Promise<string> {
  if (keepIn === null) return `review ${path} before the next run adopts it: ${why}`;
  try {
    return `put back ${path}: ${why}; ${await restoreList({ projectRoot, keepIn }, path, texts)}`;
  } catch (error) {
    return `cannot put back ${path}, though ${why}: ${messageOf(error)}`;
  }
}

async function listedStates(
  q: Reader,
  path: string,
): Promise<readonly { readonly key: string; readonly id: string; readonly status: TaskStatus }[]> {
  return q.all("SELECT source_key AS key, id, status FROM tasks WHERE source_path = ?", [path]);
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RalphError)) throw error;
  return undefined;
}
