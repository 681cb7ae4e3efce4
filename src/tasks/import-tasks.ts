import type { Db, Tx } from "../store/db.ts";
import { applyImport, type ImportResult, type Plan, planFirstImport } from "./import/apply-import.ts";
import type { ImportSource } from "./import/match-source.ts";
import { readSourceFile } from "./import/source-file.ts";
import { formatNamed, formatOf } from "./import/source-formats.ts";
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

/** A file that was read and understood, for `importFile`. */
export interface ReadFile extends ImportSource {
  readonly warnings: readonly string[];
}

/**
 * Reads a file's tasks. Errors: those of `readSourceFile`, RALPH_IMPORT_FORMAT, RALPH_YAML_INVALID,
 * RALPH_JSON_INVALID, RALPH_IMPORT_INVALID, RALPH_IMPORT_EMPTY.
 */
export async function readImport({ projectRoot, path, format: name }: ImportRequest): Promise<ReadFile> {
  if (name !== undefined) formatNamed(name);
  const source = await readSourceFile(projectRoot, path);
  const format = name === undefined ? formatOf(source) : formatNamed(name);
  const { tasks, warnings } = format.parse(source);
  const outside = `${source.path} lies outside the project: finished tasks are not ticked there`;
  return {
    projectRoot,
    path: source.path,
    format: format.name,
    tasks,
    warnings: source.inside ? warnings : [...warnings, outside],
  };
}

/** Plans the import of a file into a project without tasks, before its store exists; for `importFile`. */
export async function planImport(file: ReadFile): Promise<Plan> {
  return planFirstImport(file);
}

/**
 * Takes a file's tasks into the project, in one transaction: all of them, or none on any error. A file that was
 * imported before updates its tasks: what it says is taken over into those that are neither done nor being worked on;
 * a task that it ticks becomes done; none is reopened or removed. Tasks are found again by path and key.
 * Errors: RALPH_IMPORT_DUPLICATE_ID, RALPH_IMPORT_UNKNOWN_DEPENDENCY, RALPH_TASK_CYCLE, RALPH_IMPORT_ID_TAKEN (another
 * file or a person has a task of that id), and those of `createTask`.
 */
export async function importFile(
  db: Db,
  { first, ...file }: ReadFile & { readonly first?: Plan | undefined },
  now: Date,
): Promise<ImportReport> {
  const work = (tx: Tx): Promise<ImportResult> => applyImport(tx, { stated: file, first }, now);
  const { warnings: more, ...result } = await db.transaction(work);
  return { path: file.path, format: file.format, ...result, warnings: [...file.warnings, ...more] };
}

/** Reads a file and imports it; the errors of both. */
export async function importTasks(db: Db, request: ImportRequest, now: Date): Promise<ImportReport> {
  return importFile(db, await readImport(request), now);
}
