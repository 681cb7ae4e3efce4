import { RalphError } from "../base/errors.ts";
import { writeFileSafely } from "../trust/safe-file.ts";
import { readSourceFile, type SourceFile } from "./import/source-file.ts";
import { formatNamed } from "./import/source-formats.ts";
import type { Task, TaskSource } from "./task.ts";

/** A source file in which a task is now ticked, or unticked. */
export interface TickedSource {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** False: the entry already had this state, and the file was not written. */
  readonly changed: boolean;
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
export function tickText(task: Task, text: string): string | undefined {
  if (!task.source) return undefined;
  const { path, format, key } = task.source;
  return formatNamed(format).tick({ path, text }, key);
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
  const text = source && formatNamed(format)[change]({ path, text: source.text }, key);
  return source && text !== undefined ? { source, text } : undefined;
}

/** Returns true if the task's file contains the task. Throws the errors of `tickSource` for a file that is not valid. */
export async function isListed(projectRoot: string, { source }: Task): Promise<boolean> {
  return source !== null && (await editEntry(projectRoot, source, "untick")) !== undefined;
}

async function writeTick(
  projectRoot: string,
  task: Task,
  change: "tick" | "untick",
): Promise<TickedSource | undefined> {
  if (!task.source) return undefined;
  const edit = await editEntry(projectRoot, task.source, change);
  if (!edit?.source.inside) return undefined;
  const { source, text } = edit;
  const { path } = task.source;
  const changed = text !== source.text;
  if (changed) await writeFileSafely(source.absolute, text, { root: projectRoot });
  return { path, changed };
}
