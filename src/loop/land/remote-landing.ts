import { setTimeout as sleep } from "node:timers/promises";
import { resolveCommit } from "../../workspace/git/read-head.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import {
  fetchRefs,
  pushRefs,
  type RemoteBranch,
  remoteError,
  type Transfer,
  trackingRef,
} from "../../workspace/remote.ts";
import { isAncestor, swapBranch, treeOfBranch } from "../../workspace/work-trees.ts";
import type { Loop } from "../rows/loop.ts";
import type { Landing } from "../rows/slot.ts";
import { oneAtATime } from "../rows/work-queue.ts";

/** Milliseconds during which a remote that cannot be reached is tried again, and one that refuses. */
const maxWaitMs = { unreachable: 10 * 60_000, refused: 8000, absent: 0 };
const pauses = { first: 500, max: 30_000 };

/**
 * Lands on a branch of a remote, by plain pushes: one that other commits came before returns false from `swap`. This clone's
 * branch of the same name follows unless it is elsewhere or checked out.
 */
export function remoteLanding(loop: Pick<Loop, "stop" | "workspace">, at: RemoteBranch): Landing {
  const { workspace } = loop;
  const { remote, branch } = at;
  const [own, followed] = [`refs/heads/${branch}`, trackingRef(at)];
  const tip = async (): Promise<string> => {
    await retrying(loop, at, () => fetchRefs(workspace, remote, [`+${own}:${followed}`]));
    const hash = await resolveCommit(workspace, followed);
    if (hash === null) throw new Error(`${followed} was fetched and is not there`);
    return hash;
  };
  return {
    branch: followed,
    alone: oneAtATime(),
    tip,
    swap: async (to) => {
      const end = await retrying(loop, at, () => pushRefs(workspace, remote, [`${to}:${own}`]));
      if (end === "done") await follow(workspace, own, to);
      return end === "done";
    },
    // Without these copies another machine repeats the work: a failure of theirs ends nothing.
    shared: {
      push: async (ref) => void (await pushRefs(workspace, remote, [`${ref}:${ref}`], { hooks: false })),
      fetch: async (ref) => (await fetchRefs(workspace, remote, [`+${ref}:${ref}`])).state === "done",
      drop: async (ref) => void (await pushRefs(workspace, remote, [`:${ref}`], { hooks: false })),
    },
  };
}

async function follow(ws: Workspace, ref: string, to: string): Promise<void> {
  const from = await resolveCommit(ws, ref);
  if (from === null || (await treeOfBranch(ws, ref)) !== null || !(await isAncestor(ws, from, to))) return;
  await swapBranch(ws, ref, { from, to, reason: "ralph: work landed" });
}

/** @throws RalphError `RALPH_GIT_REMOTE` when that lasts too long, or the run is stopped meanwhile */
async function retrying(
  { stop }: Pick<Loop, "stop">,
  at: RemoteBranch,
  transfer: () => Promise<Transfer>,
): Promise<"done" | "moved"> {
  const since = performance.now();
  for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.max)) {
    const end = await transfer();
    if (end.state === "done" || end.state === "moved") return end.state;
    const late = performance.now() - since + pause > maxWaitMs[end.state];
    if (late || stop.aborted) throw remoteError(at, end);
    await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}
