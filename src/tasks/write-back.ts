import { RalphError } from "../base/errors.ts";
import { writeFileSafely } from "../trust/safe-file.ts";
import { readSourceFile } from "./import/source-file.ts";
import { formatNamed } from "./import/source-formats.ts";
import type { Task } from "./task.ts";

/** A source file in which a task is ticked now, or unticked. */
export interface TickedSource {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** False: it was so already, and the file was left alone. */
  readonly changed: boolean;
}

/**
 * Ticks a task in the file that it came from; every other byte stays. The entry is looked for in the file as it is
 * now. Undefined, and nothing written: the task has no file, the file or the entry is gone, the file lies outside
 * the project, or the entry has nothing to tick: a heading, an issue of GitHub. Errors: those of `readSourceFile` and `writeFileSafely`
 * (RALPH_PATH_SYMLINK), RALPH_YAML_INVALID or RALPH_JSON_INVALID when the file cannot be read any more, RALPH_WRITE_BACK.
 */
export async function tickSource(projectRoot: string, task: Task): Promise<TickedSource | undefined> {
  return writeTick(projectRoot, task, "tick");
}

/** The text of a task's file with the task ticked; undefined when it has no such entry. Errors as `tickSource`. */
export function tickText(task: Task, text: string): string | undefined {
  if (!task.source) return undefined;
  const { path, format, key } = task.source;
  return formatNamed(format).tick({ path, text }, key);
}

/** Makes the entry of a task open again in its file, as `tickSource` makes it done; same errors. */
export async function untickSource(projectRoot: string, task: Task): Promise<TickedSource | undefined> {
  return writeTick(projectRoot, task, "untick");
}

async function writeTick(
  projectRoot: string,
  task: Task,
  change: "tick" | "untick",
): Promise<TickedSource | undefined> {
  if (!task.source) return undefined;
  const { path, format, key } = task.source;
  const source = await readSourceFile(projectRoot, path).catch((error: unknown) => {
    if (error instanceof RalphError && error.code === "RALPH_IMPORT_NOT_FOUND") return undefined;
    throw error;
  });
  if (!source?.inside) return undefined;
  const text = formatNamed(format)[change]({ path, text: source.text }, key);
  if (text === undefined) return undefined;
  const changed = text !== source.text;
  if (changed) await writeFileSafely(source.absolute, text, { root: projectRoot });
  return { path, changed };
}
