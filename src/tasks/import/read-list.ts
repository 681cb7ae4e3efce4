import { RalphError } from "../../base/errors.ts";
import type { Reader } from "../../store/port/db.ts";
import type { SourceFormat } from "../graph/task.ts";
import type { ImportSource } from "./match/match-source.ts";
import type { ImportedFile, SourceText } from "./source/imported-task.ts";
import { readSourceFile } from "./source/source-file.ts";
import { formatNamed } from "./source-formats.ts";

/** A file that tasks were imported from. */
export interface ImportedList {
  readonly path: string;
  readonly format: SourceFormat;
}

export async function importedLists(q: Reader): Promise<readonly ImportedList[]> {
  return q.all<ImportedList>(
    `SELECT source_path AS "path", MIN(source_format) AS "format" FROM tasks
     WHERE source_path IS NOT NULL AND source_format IS NOT NULL GROUP BY source_path ORDER BY source_path`,
  );
}

/** A list as it is now. */
export interface ReadList extends ImportSource {
  readonly warnings: readonly string[];
}

/**
 * Reads an imported file again. Returns a problem for a file that says nothing about its tasks because it does not exist or
 * is empty. Errors: those of `importTasks`; a file without a checklist is an empty list.
 */
export async function readList(
  projectRoot: string,
  { path, format }: ImportedList,
): Promise<ReadList | { readonly problem: string }> {
  try {
    const source = await readSourceFile(projectRoot, path);
    if (source.text.trim() === "") return { problem: `${path} is empty: its tasks stay as they are` };
    refuseConflict(source);
    return { projectRoot, path, format, ...(await parsed(source, format)) };
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_IMPORT_NOT_FOUND") throw error;
    return { problem: `${path} does not exist: its tasks stay as they are` };
  }
}

async function parsed(source: SourceText, format: SourceFormat): Promise<ImportedFile> {
  try {
    return await formatNamed(format).parse(source);
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_IMPORT_EMPTY")
      return { tasks: [], warnings: [] };
    throw error;
  }
}

/** A list with the items of both sides would be adopted as one with twice the items. */
function refuseConflict({ path, text }: { readonly path: string; readonly text: string }): void {
  if (!/^<{7} /m.test(text) || !/^>{7} /m.test(text)) return;
  throw new RalphError("RALPH_IMPORT_INVALID", `cannot read ${path}: it has unresolved merge conflicts`, {
    hint: `resolve the conflicts in ${path}`,
  });
}
