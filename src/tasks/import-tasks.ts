import type { Db, Tx } from "../store/db.ts";
import { applyImport, type ImportPlan, type ImportResult, planFirstImport } from "./import/apply-import.ts";
import type { ImportSource } from "./import/match-source.ts";
import { readSourceFile } from "./import/source-file.ts";
import { formatNamed, formatOf } from "./import/source-formats.ts";
import type { SourceFormat } from "./task.ts";

interface ImportRequest {
  readonly projectRoot: string;
  /** Relative to the project's root, or absolute. */
  readonly path: string;
  /** Absent: detected from the file's name and content. */
  readonly format?: string;
}

export interface ImportReport extends ImportResult {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly format: SourceFormat;
  /** Notices for the user, one line each. */
  readonly warnings: readonly string[];
}

/** A parsed file, the input of `importFile`. */
export interface ParsedImport extends ImportSource {
  readonly warnings: readonly string[];
}

/**
 * Reads a file's tasks. Errors: those of `readSourceFile`, RALPH_IMPORT_FORMAT, RALPH_YAML_INVALID,
 * RALPH_JSON_INVALID, RALPH_IMPORT_INVALID, RALPH_IMPORT_EMPTY.
 */
export async function readImport({ projectRoot, path, format: name }: ImportRequest): Promise<ParsedImport> {
  if (name !== undefined) formatNamed(name);
  const source = await readSourceFile(projectRoot, path);
  const format = name === undefined ? formatOf(source) : formatNamed(name);
  const { tasks, warnings } = format.parse(source);
  const outside = `${source.path} is outside the project: finished tasks are not ticked in it`;
  return {
    projectRoot,
    path: source.path,
    format: format.name,
    tasks,
    warnings: source.inside ? warnings : [...warnings, outside],
  };
}

/** Plans the import of a file into a project without tasks, before its store exists. The plan is for `importFile`. */
export async function planImport(file: ParsedImport): Promise<ImportPlan> {
  return planFirstImport(file);
}

/**
 * Imports a file's tasks in one transaction: all of them, or none on any error. A repeated import updates the file's
 * tasks, which are matched by path and key: those that are neither done nor in progress get the file's fields, those
 * that it ticks become done, and none is reopened or removed. Errors: RALPH_IMPORT_DUPLICATE_ID,
 * RALPH_IMPORT_UNKNOWN_DEPENDENCY, RALPH_TASK_CYCLE, RALPH_IMPORT_ID_TAKEN (a task of another file or of a person has
 * that id), and those of `createTask`.
 */
export async function importFile(
  db: Db,
  { first, ...file }: ParsedImport & { readonly first?: ImportPlan | undefined },
  now: Date,
): Promise<ImportReport> {
  const apply = (tx: Tx): Promise<ImportResult> => applyImport(tx, { stated: file, first }, now);
  const { warnings: more, ...result } = await db.transaction(apply);
  return { path: file.path, format: file.format, ...result, warnings: [...file.warnings, ...more] };
}

/** Reads a file and imports it. Throws the errors of `readImport` and `importFile`. */
export async function importTasks(db: Db, request: ImportRequest, now: Date): Promise<ImportReport> {
  return importFile(db, await readImport(request), now);
}
