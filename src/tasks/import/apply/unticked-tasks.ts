import { isAbsolute } from "node:path";
import { clip, count } from "../../../base/text.ts";
import type { SourceFormat, TaskStatus } from "../../graph/task.ts";
import type { MatchedTasks } from "../match/match-source.ts";
import type { ImportPlan } from "./plan-import.ts";

/** A finished task whose item in its file is open. */
export interface UntickedTask {
  readonly id: string;
  readonly title: string;
}

/** Formats in which ralph does not tick finished tasks. */
const neverTicked: ReadonlySet<SourceFormat> = new Set(["github-issues"]);
const maxShownChars = 160;

/**
 * Returns the tasks that were finished before the import and whose item is open in the file. They are still done: another
 * branch, a restored file and a person who wants the work done again leave the same text.
 */
export function untickedTasks(
  { source: { path, format }, matched }: Pick<ImportPlan, "source" | "matched">,
  statuses: ReadonlyMap<string, TaskStatus>,
): readonly UntickedTask[] {
  // A file outside the project is never written.
  if (neverTicked.has(format) || path.startsWith("../") || isAbsolute(path)) return [];
  return matched
    .filter((match) => isUnticked(match) && statuses.get(match.id) === "done")
    .map(({ id, existing, imported }) => ({ id, title: existing?.title ?? imported.title }));
}

function isUnticked({ imported, existing }: MatchedTasks): boolean {
  return existing?.status === "done" && imported.state === "open" && imported.ticked !== true;
}

/** Returns the warning for the user; none without such tasks. */
export function untickedWarnings(path: string, tasks: readonly UntickedTask[]): readonly string[] {
  const [first] = tasks;
  if (!first) return [];
  const names = clip(tasks.map(({ id, title }) => `${id} ${title}`).join("; "), maxShownChars);
  const verb = tasks.length === 1 ? "is" : "are";
  return [
    `${path}: ${count(tasks.length, "finished task")} ${verb} not ticked (${names}); run \`ralph task retry ${first.id}\` to do ${tasks.length === 1 ? "it" : "the first one"} again`,
  ];
}
