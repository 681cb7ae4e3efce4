import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import type { SourceFormat, Task } from "../task.ts";
import { idTaken, prefixFor } from "./id-prefix.ts";
import type { ImportedTask } from "./imported-task.ts";

/** A file's tasks with where it lies. */
export interface ImportSource {
  readonly projectRoot: string;
  readonly path: string;
  readonly format: SourceFormat;
  readonly tasks: readonly ImportedTask[];
}

/** What the file says of a task, and the task that the project has of it. */
export interface MatchedTasks {
  readonly imported: ImportedTask;
  readonly id: string;
  readonly existing: Task | undefined;
}

export interface Matching {
  readonly matched: readonly MatchedTasks[];
  /** Why ids differ from those in the file. */
  readonly warnings: readonly string[];
}

/**
 * Finds the project's task for each of the file's, by path and key, and an id for each that is new. A task whose file
 * is gone is taken for the same under another path when key and title agree and it is not done while the file says
 * it is open. Ids that another list has are qualified by the file's name. RALPH_IMPORT_ID_TAKEN when the id of a new
 * task belongs to one that is no other list's.
 */
export async function matchSource(source: ImportSource, all: readonly Task[]): Promise<Matching> {
  const here = new Map<string, Task>();
  const elsewhere = new Map<string, Task[]>();
  for (const task of all) {
    if (!task.source) continue;
    const { path, key } = task.source;
    if (path === source.path) here.set(key, task);
    else elsewhere.set(key, [...(elsewhere.get(key) ?? []), task]);
  }
  const isGone = goneFiles(source.projectRoot);
  const found: Pick<MatchedTasks, "imported" | "existing">[] = [];
  for (const imported of source.tasks) {
    const same = (elsewhere.get(imported.key) ?? []).filter((task) => isSame(task, imported, source));
    const gone = await Promise.all(same.map(isGone));
    found.push({ imported, existing: here.get(imported.key) ?? same.find((_, at) => gone[at]) });
  }
  const holders = new Map(all.map((task) => [task.id, task]));
  const { prefix, warnings } = await prefixFor({ source, found, holders, isGone });
  const used = new Set(holders.keys());
  const matched = found.map(({ imported, existing }): MatchedTasks => {
    const id = existing?.id ?? newIdFor(imported, { source, prefix, used });
    used.add(id);
    return { imported, id, existing };
  });
  return { matched, warnings };
}

function isSame(task: Task, imported: ImportedTask, { format }: ImportSource): boolean {
  const wouldHide = task.status === "done" && imported.state !== "done";
  const sameId = imported.id === null || imported.id === task.id || task.id.endsWith(`:${imported.id}`);
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

interface NewIds {
  readonly source: ImportSource;
  /** Of the ids that the file gives; "" or `<name>:`. */
  readonly prefix: string;
  readonly used: ReadonlySet<string>;
}

function newIdFor({ id, key, line }: ImportedTask, { source, prefix, used }: NewIds): string {
  if (id === null) {
    // The same file gives the same ids in every clone, unless one of six digits is taken.
    const digits = sha256(`${source.path}\n${key}`);
    for (let length = 6; ; length += 2) {
      const drawn = `t-${digits.slice(0, length)}`;
      if (!used.has(drawn)) return drawn;
    }
  }
  if (!used.has(prefix + id)) return prefix + id;
  throw idTaken({ path: source.path, line }, id, undefined);
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
