import type { Reader } from "../store/port/db.ts";
import type { SourceFormat } from "./graph/task.ts";
import { listTasks } from "./graph/task-store.ts";
import { newColumns, planImport } from "./import/apply/plan-import.ts";
import { formatNamed } from "./import/source-formats.ts";

/** A text that may become a list of tasks. */
export interface ListDraft {
  readonly projectRoot: string;
  /** Of the file that it would be, relative to the project's root. */
  readonly path: string;
  readonly format: SourceFormat;
  readonly text: string;
}

/** A task of a draft, with the id that it would get. */
export interface DraftTask {
  readonly id: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly state: "open" | "done" | "blocked";
  readonly dependsOn: readonly string[];
}

/** Returns the tasks of a draft and the importer's warnings. Imports nothing. Throws the errors of the import. */
export async function checkList(
  q: Reader,
  { text, ...source }: ListDraft,
): Promise<{ readonly tasks: readonly DraftTask[]; readonly warnings: readonly string[] }> {
  const { tasks, warnings } = await formatNamed(source.format).parse({ path: source.path, text });
  const plan = await planImport({ ...source, tasks }, await listTasks(q));
  newColumns(plan);
  const idOf = (key: string): string => plan.ids.get(key) ?? key;
  const drafts = plan.source.tasks.map(({ key, parentKey, title, state, dependsOn = [] }) => ({
    id: idOf(key),
    parentId: parentKey ? idOf(parentKey) : null,
    ...{ title, state },
    dependsOn: dependsOn.map(idOf),
  }));
  return { tasks: drafts, warnings: [...warnings, ...plan.warnings] };
}
