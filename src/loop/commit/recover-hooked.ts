import { nameSome } from "../../base/text.ts";
import { changedAfter } from "../../workspace/changed-after.ts";
import { findCommit, recoverHooked } from "../../workspace/commit.ts";
import { changedPathsBetween } from "../../workspace/diff.ts";
import { position } from "../../workspace/status.ts";
import type { Loop } from "../loop.ts";
import { type PendingCommit, pendingCommits } from "../pending-commit-store.ts";
import type { LastHeartbeat } from "../run/last-heartbeat.ts";
import { movedWhileAlive } from "../tree/adopt-moved-head.ts";
import { iterationTrailer } from "./commit-message.ts";

type Recoverer = Pick<Loop, "db" | "workspace">;

/**
 * Takes back what the code of hooks did to the branch, or to the commit of verified work, before ralph was killed while they ran
 * (LOOP-21). Must run before anything takes the place of HEAD for a person's. Returns warnings.
 */
export async function recoverHookedCommits(
  loop: Recoverer,
  lastAlive: LastHeartbeat | undefined,
): Promise<readonly string[]> {
  if (!lastAlive) return [];
  const warnings: string[] = [];
  for (const owed of await pendingCommits(loop.db))
    for (const one of await recoverOne(loop, owed, lastAlive)) warnings.push(one);
  return warnings.map((warning) => `${warning} (before ralph was killed)`);
}

async function recoverOne(
  { workspace }: Recoverer,
  { hooked, head, message, paths, iterationId }: PendingCommit,
  lastAlive: LastHeartbeat,
): Promise<readonly string[]> {
  if (!hooked || head === undefined) return [];
  const { tree, branch } = hooked;
  const at = await position(workspace);
  const isMoved = at.hash !== head || at.ref !== branch;
  if (isMoved && !(await movedWhileAlive({ workspace }, lastAlive))) {
    // A person moved HEAD since: the commit is adopted, if it is there.
    const search = { base: head, trailer: iterationTrailer, value: iterationId };
    const made = await findCommit(workspace, search);
    const other = made === undefined ? [] : await changedPathsBetween(workspace, tree, made);
    if (made === undefined || other.length === 0) return [];
    return [`${made.slice(0, 12)} holds other content than was verified in ${nameSome(other)}: a hook ran`];
  }
  const late = new Set(await changedAfter(workspace, paths, lastAlive.wasDeadAt));
  const own = paths.filter((path) => !late.has(path));
  return recoverHooked(workspace, { from: { hash: head, ref: branch }, tree, message, paths: own });
}
