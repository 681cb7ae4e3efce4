import { syncLists } from "../../tasks/import-tasks.ts";
import type { Loop } from "../loop.ts";

/**
 * Adopts the changes of the imported task lists (TASK-10). Runs after recovery, which completes pending commits: their tasks
 * are ticked before they are done. Throws the errors of `syncLists`: a list that cannot be read does not say what to do.
 */
export async function adoptLists(
  loop: Pick<Loop, "clock" | "db" | "log" | "options" | "root" | "runId">,
): Promise<void> {
  if (!loop.options.adoptLists) return;
  const { root: projectRoot, runId } = loop;
  const lists = await syncLists(loop.db, { projectRoot, runId }, loop.clock.now());
  await loop.log.flush();
  for (const { path, warnings } of lists)
    if (warnings.length > 0) loop.log.publish({ type: "list.warned", runId, data: { path, warnings } });
}
