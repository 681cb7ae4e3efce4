import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import type { ImportedTask } from "./imported-task.ts";
import type { SourceFormat, Task } from "./task.ts";

/** A file's tasks with where it lies. */
export interface ImportSource {
  readonly projectRoot: string;
  readonly path: string;
  readonly format: SourceFormat;
  readonly tasks: readonly ImportedTask[];
}

/** What the file says of a task, and the task that the project has of it. */
export interface Matched {
  readonly imported: ImportedTask;
  readonly id: string;
  readonly existing: Task | undefined;
}

/**
 * Finds the project's task for each of the file's, by path and key, and an id for each that is new. A task whose file
 * is gone is taken for the same under another path when key and title agree and it is not done while the file says
 * it is open. RALPH_IMPORT_ID_TAKEN when the id of a new one belongs to another task.
 */
export async function matchSource(source: ImportSource, all: readonly Task[]): Promise<readonly Matched[]> {
  const here = new Map<string, Task>();
  const elsewhere = new Map<string, Task>();
  for (const task of all) {
    if (task.source) (task.source.path === source.path ? here : elsewhere).set(task.source.key, task);
  }
  const holders = new Map<string, Task | undefined>(all.map((task) => [task.id, task]));
  const isGone = goneFiles(source.projectRoot);
  const matched: Matched[] = [];
  for (const imported of source.tasks) {
    const there = elsewhere.get(imported.key);
    const moved = there && isSame(there, imported, source) && (await isGone(there)) ? there : undefined;
    const existing = here.get(imported.key) ?? moved;
    const id = existing?.id ?? newIdFor(imported, source, holders);
    holders.set(id, existing);
    matched.push({ imported, id, existing });
  }
  return matched;
}

function isSame(task: Task, imported: ImportedTask, { format }: ImportSource): boolean {
  const wouldHide = task.status === "done" && imported.state !== "done";
  const sameId = imported.id === null || imported.id === task.id;
  return sameId && task.title === imported.title && task.source?.format === format && !wouldHide;
}

function goneFiles(projectRoot: string): (task: Task) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async ({ source }) => {
    if (!source) return false;
    const { path } = source;
    const gone =
      known.get(path) ??
      (await stat(resolve(projectRoot, path)).then(
        () => false,
        () => true,
      ));
    known.set(path, gone);
    return gone;
  };
}

function newIdFor(
  imported: ImportedTask,
  { path }: ImportSource,
  holders: ReadonlyMap<string, Task | undefined>,
): string {
  const { id, key, line } = imported;
  if (id === null) {
    // The same file gives the same ids in every clone, unless one of six digits is taken.
    const digits = sha256(`${path}\n${key}`);
    for (let length = 6; ; length += 2) {
      const drawn = `t-${digits.slice(0, length)}`;
      if (!holders.has(drawn)) return drawn;
    }
  }
  if (!holders.has(id)) return id;
  const holder = holders.get(id)?.source?.path;
  const from = holder === undefined ? "which was not imported from a file" : `which came from ${holder}`;
  throw new RalphError("RALPH_IMPORT_ID_TAKEN", `${path}:${line}: there is already a task ${id}, ${from}`, {
    hint: `Give it another id in ${path}.`,
  });
}

/** Neither done nor being worked on. */
export function isOpen(task: Task): boolean {
  return task.status !== "done" && task.status !== "in_progress";
}

/** The error with the line of the file in which its reason stands. */
export function inLine({ path }: ImportSource, { line }: ImportedTask, error: unknown): unknown {
  if (!(error instanceof RalphError)) return error;
  const { code, message, hint } = error;
  return new RalphError(code, `${path}:${line}: ${message}`, { ...(hint ? { hint } : {}), cause: error });
}
