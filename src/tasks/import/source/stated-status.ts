import type { ImportedTask } from "./imported-task.ts";

const doneWords = ["done", "completed", "complete", "closed", "finished", "resolved", "merged", "passed"];
const openWords = [
  ...["open", "pending", "todo", "new", "ready", "backlog", "planned", "queued", "notstarted"],
  ...["inprogress", "started", "active", "doing", "wip", "incomplete"],
];

/** Returns what another tool's word for a task's status means here. What is neither open nor done, as `cancelled`, does not run. */
export function statedStatus(word: string): Pick<ImportedTask, "state" | "reason"> {
  const plain = word.toLowerCase().replace(/[ _-]/g, "");
  if (doneWords.includes(plain)) return { state: "done", reason: null };
  if (plain === "" || openWords.includes(plain)) return { state: "open", reason: null };
  return { state: "blocked", reason: `${word} in its file` };
}
