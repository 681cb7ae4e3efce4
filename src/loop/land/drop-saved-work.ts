import { slug } from "../../trust/safe-name.ts";
import { dropSaved, isLanding } from "../../workspace/salvage.ts";
import type { Loop } from "../rows/loop.ts";
import { readSalvage } from "../rows/salvage-store.ts";

/** Deletes what earlier attempts of a task that landed saved: here and, by any machine, at the remote. */
export async function dropSavedWork(
  { db, landing, workspace }: Pick<Loop, "db" | "landing" | "workspace">,
  taskId: string,
): Promise<void> {
  const here = await dropSaved(workspace, slug(taskId));
  if (!landing?.shared) return;
  const waiting = await readSalvage(db, taskId);
  const refs = new Set([...here, ...(waiting === null ? [] : [waiting])]);
  for (const ref of refs) if (!isLanding(ref)) await landing.shared.drop(ref);
}
