import type { Owner } from "../../base/owner.ts";
import { runById } from "../../loop/rows/run-store.ts";
import type { Iteration } from "../../memory/learning-actions.ts";
import { attemptCounts } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { type Began, openTaskActions, type TaskActions } from "../../tasks/task-actions.ts";
import type { Project, Session } from "../shell/command.ts";

/** Returns the task actions for whoever typed the command: a person, or the agent of an iteration. */
export async function taskActionsOf(
  { iteration, clock }: Session,
  { db, root }: Pick<Project, "db" | "root">,
): Promise<TaskActions> {
  const actor = { currentTaskId: iteration?.taskId, isAlive: isOwnerAlive };
  const now = (): Date => clock.now();
  return openTaskActions({ db, root, now, actor, attemptCounts, began: await beginningOf(db, iteration) });
}

/** Returns when the iteration and its run began; undefined for none. */
async function beginningOf(db: Reader, iteration: Iteration | null): Promise<Began | undefined> {
  if (!iteration) return undefined;
  const run = await runById(db, iteration.runId);
  return { iteration: iteration.startedAt, run: run?.startedAt ?? iteration.startedAt };
}

/** Loads process supervision on demand, because few commands need it. */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  return (await import("../../agents/supervision.ts")).ownerIsAlive(owner);
}
