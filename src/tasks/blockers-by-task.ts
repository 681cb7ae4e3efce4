import type { Reader } from "../store/db.ts";
import { allDependencies } from "./graph.ts";

/** The ids that each task depends on, finished or not. */
export async function blockersByTask(q: Reader): Promise<(id: string) => readonly string[]> {
  const blockers = new Map<string, string[]>();
  for (const { taskId, blockerId } of await allDependencies(q)) {
    const known = blockers.get(taskId);
    if (known) known.push(blockerId);
    else blockers.set(taskId, [blockerId]);
  }
  return (id) => blockers.get(id) ?? [];
}
