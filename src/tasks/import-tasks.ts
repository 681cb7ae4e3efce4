import type { Db } from "../store/db.ts";
import { applyImport, type ImportResult } from "./apply-import.ts";
import { readSourceFile } from "./source-file.ts";
import { formatNamed, formatOf } from "./source-formats.ts";
import type { SourceFormat } from "./task.ts";

interface ImportRequest {
  readonly projectRoot: string;
  /** Relative to the project's root, or absolute. */
  readonly path: string;
  /** Absent: told by the file's name and content. */
  readonly format?: string;
}

export interface ImportReport extends ImportResult {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly format: SourceFormat;
  /** What the reader of the file should know, a line each. */
  readonly warnings: readonly string[];
}

/**
 * Takes a file's tasks into the project, in one transaction: all of them, or none on any error. A file that was
 * imported before updates its tasks: what it says is taken over into those that are neither done nor being worked on;
 * a task that it ticks becomes done; none is reopened or removed. Tasks are found again by path and key.
 * Errors: those of `readSourceFile`, RALPH_IMPORT_FORMAT, RALPH_YAML_INVALID, RALPH_JSON_INVALID, RALPH_IMPORT_INVALID,
 * RALPH_IMPORT_EMPTY, RALPH_IMPORT_DUPLICATE_ID, RALPH_IMPORT_UNKNOWN_DEPENDENCY, RALPH_TASK_CYCLE,
 * RALPH_IMPORT_ID_TAKEN (another file or a person has a task of that id), and those of `createTask`.
 */
export async function importTasks(db: Db, request: ImportRequest, now: Date): Promise<ImportReport> {
  const { projectRoot, path, format: name } = request;
  if (name !== undefined) formatNamed(name);
  const source = await readSourceFile(projectRoot, path);
  const format = name === undefined ? formatOf(source) : formatNamed(name);
  const { tasks, warnings } = format.parse(source);
  const outside = `${source.path} lies outside the project: finished tasks are not ticked there`;
  const file = { projectRoot, path: source.path, format: format.name, tasks };
  const { warnings: more, ...result } = await db.transaction((tx) => applyImport(tx, file, now));
  const told = [...warnings, ...more, ...(source.inside ? [] : [outside])];
  return { path: source.path, format: format.name, ...result, warnings: told };
}
