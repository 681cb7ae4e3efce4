import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { listTasks } from "../../tasks/graph/task-store.ts";
import { type ListSync, syncLists } from "../../tasks/import-tasks.ts";
import { readLists, revertTicks } from "../../tasks/write-back.ts";
import type { Loop } from "../rows/loop.ts";
import { unmergedBranches } from "../rows/unmerged-branch.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";

/**
 * Adopts the changes of the imported task lists (TASK-10). Runs after recovery, which completes pending commits: their tasks
 * are ticked before they are done. `crashed`: recovery ended an iteration without a verdict. Throws the errors of `syncLists`: a list that cannot be read does not say what to do.
 */
export async function adoptLists(loop: Loop, { crashed }: { readonly crashed: boolean }): Promise<void> {
  if (!loop.options.adoptLists) return;
  // Not killable: the next run no longer knows of the crash, and would adopt these ticks.
  if (crashed) await revertLeftoverTicks(loop);
  // Ten thousand changed tasks take ten seconds. A run that has not begun has nothing to end in an orderly way.
  await loop.killable(async () => void (await adopt(loop)));
}

/** More come from agents that add a task in each session, and the run would never end. */
const maxGrowths = 200;

/**
 * Adopts between two tasks what changed in a list since the last one, other than by ralph's ticks. A list that cannot be read
 * is reported once, and its tasks stay as they are.
 */
export async function adoptMeanwhile(loop: Loop): Promise<void> {
  const { adopted } = loop;
  if (adopted.waiting.length > 0) await noteUnapproved(loop);
  if (!loop.options.adoptLists || adopted.growths >= maxGrowths) return;
  const lists = await readLists(loop.db, loop.projectRoot);
  if (lists.every(({ path, text }) => adopted.texts.get(path) === text)) return;
  try {
    const synced = await adopt(loop);
    if (synced.some(({ changes }) => changes.some(({ kind }) => kind === "added"))) adopted.growths += 1;
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const data = { path: "", warnings: [`${error.message}: the tasks stay as they are`] };
    loop.log.publish({ type: "list.warned", runId: loop.runId, data });
  }
}

async function adopt(loop: Loop): Promise<readonly ListSync[]> {
  // The next run adopts them.
  if (loop.stop.aborted) return [];
  const { projectRoot, runId } = loop;
  // Read before: what is saved meanwhile is adopted the next time.
  for (const { path, text } of await readLists(loop.db, projectRoot)) loop.adopted.texts.set(path, text);
  const lists = await syncLists(loop.db, { projectRoot, runId }, loop.clock.now());
  await loop.log.flush();
  // The ticks of tasks that workers finished are on their branch.
  const isOpen = lists.some(({ unticked }) => unticked.length > 0);
  const ticksWait = isOpen && (await unmergedBranches(loop)).length > 0;
  for (const { path, unticked, ...list } of lists) {
    const named = `${path}: ${count(unticked.length, "finished task")} `;
    const warnings = list.warnings.filter((warning) => !ticksWait || !warning.startsWith(named));
    if (warnings.length > 0) loop.log.publish({ type: "list.warned", runId, data: { path, warnings } });
  }
  if (lists.some(({ changes }) => changes.length > 0)) await noteUnapproved(loop);
  return lists;
}

/** A list may name commands that nobody has seen: their tasks wait. */
async function noteUnapproved(loop: Loop): Promise<void> {
  const { adopted, runId } = loop;
  const pending = (await listTasks(loop.db)).filter(({ status }) => status === "pending");
  const known = new Set(adopted.waiting);
  adopted.waiting = loop.unapproved(pending);
  for (const id of adopted.waiting.filter((one) => !known.has(one))) {
    const data = {
      path: "",
      warnings: [`${id} waits: its verification is not approved (ralph trust approve)`],
    };
    loop.log.publish({ type: "list.warned", runId, data });
  }
}

/** A killed iteration could not revert the checkboxes that its agent changed: none in its leftovers counts. */
async function revertLeftoverTicks(loop: Loop): Promise<void> {
  const { db, folder, projectRoot, log, runId, workspace } = loop;
  const state = await readWorkspaceState(db, workspace);
  if (state.kind !== "left") return;
  const lists = (await readLists(db, projectRoot)).filter(({ path }) => state.leftover.includes(path));
  const warnings = await revertTicks(
    db,
    { projectRoot, keepIn: join(folder, "replaced", runId) },
    lists.map((list) => ({ ...list, text: "" })),
  );
  for (const warning of warnings)
    log.publish({ type: "list.warned", runId, data: { path: "", warnings: [warning] } });
}
