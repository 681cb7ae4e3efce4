import type { RedactedText } from "../../../base/safe-text.ts";
import type { Row } from "../../../store/port/db.ts";
import { columnText, redactedText } from "../../../trust/safe-text.ts";
import type { Task } from "../../graph/task.ts";
import type { TaskChanges } from "../../graph/task-fields.ts";
import { hasSecretInCommand, newTaskColumns, secretInCommand } from "../../graph/task-fields.ts";
import { type ImportSource, inLine, type MatchedTasks, matchSource } from "../match/match-source.ts";
import type { ImportedTask } from "../source/imported-task.ts";
import { checkImported } from "./check-imported.ts";
import { withKnownBlockers } from "./known-blockers.ts";

/** The import of a file into a project, checked as far as possible without writing. */
export interface ImportPlan {
  readonly source: ImportSource;
  readonly matched: readonly MatchedTasks[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** The file's tasks that it no longer contains. */
  readonly missing: readonly Task[];
}

export async function planImport(stated: ImportSource, before: readonly Task[]): Promise<ImportPlan> {
  const known = new Set(before.map(({ id }) => id));
  const isKnown = (id: string): boolean => known.has(id);
  const redactedTasks = stated.tasks.map(withoutSecrets);
  const { tasks, warnings: unknown } = withKnownBlockers({ ...stated, tasks: redactedTasks, isKnown });
  const source = { ...stated, tasks };
  checkImported({ path: source.path, tasks, isKnown });
  const { warnings: renamed, ...match } = await matchSource(source, before);
  const ids = new Map(match.matched.map(({ imported, id }) => [imported.key, id]));
  return { source, ...match, ids, warnings: [...unknown, ...renamed, ...commandWarnings(source)] };
}

/** Redacts the texts that are stored redacted, so that the comparison with the store finds no difference (TRUST-1). */
function withoutSecrets(task: ImportedTask): ImportedTask {
  const { tags, files, acceptance, commitTemplate } = task;
  return {
    ...task,
    title: redactedText(task.title),
    description: redactedText(task.description),
    ...(tags && { tags: tags.map(redactedText) }),
    ...(files && { files: files.map(redactedText) }),
    ...(acceptance && { acceptance: acceptance.map(redactedText) }),
    ...(commitTemplate && { commitTemplate: redactedText(commitTemplate) }),
  };
}

function commandWarnings({ path, tasks }: Pick<ImportSource, "path" | "tasks">): readonly string[] {
  return tasks.filter(hasSecretInCommand).map(({ line }) => `${path}:${line}: ${secretInCommand}`);
}

/** Returns the columns of the new tasks, parents first. */
export function newColumns(plan: ImportPlan): readonly Row[] {
  return plan.matched.flatMap(({ imported, id, existing }) => {
    if (existing) return [];
    const blocked = { status: "blocked", statusReason: reasonOf(imported), blockCause: "source" } as const;
    const state = { open: {}, done: { status: "done" }, blocked } as const;
    try {
      return [newTaskColumns({ ...fieldsOf(plan, imported), ...state[imported.state], id })];
    } catch (error) {
      throw inLine(plan.source, imported, error);
    }
  });
}

/** Returns the reason of a block as a column. */
export function reasonOf({ reason }: ImportedTask): RedactedText | null {
  return reason === null ? null : columnText(reason);
}

/** Returns the fields of a task that its file states. */
export function fieldsOf(
  { source: { format, path }, ids }: Pick<ImportPlan, "source" | "ids">,
  imported: ImportedTask,
): TaskChanges & { readonly title: string } {
  const { key, parentKey, title, description } = imported;
  const { priority, tags, files, acceptance, verification, commitTemplate, parallelGroup } = imported;
  const { allowNoChange, allowRed } = imported;
  const stated = {
    ...{ priority, tags, files, acceptance, verification, commitTemplate, parallelGroup },
    ...{ allowNoChange, allowRed },
  };
  const parentId = parentKey === null ? null : ids.get(parentKey ?? "");
  return { title, description, source: { format, path, key }, ...defined({ ...stated, parentId }) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {};
  for (const name in fields)
    if (fields[name] !== undefined) kept[name] = fields[name] as Defined<T>[typeof name];
  return kept;
}
