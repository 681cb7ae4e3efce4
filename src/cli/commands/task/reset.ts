import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { resetTaskMemory } from "../../../memory/task-memory.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import type { Db, Reader } from "../../../store/db.ts";
import { resetMetrics } from "../../../strategy/task-metrics.ts";
import { isInProgress } from "../../../tasks/claim-outcome.ts";
import { resetTask } from "../../../tasks/finish-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { refuseInsideIteration } from "./input/inside-iteration.ts";
import { textOptions } from "./input/typed.ts";
import { withProject } from "./input/with-project.ts";
import { plainLine, taskLabel } from "./view/describe-task.ts";
import { nextStep } from "./view/next-step.ts";
import { isOwnerAlive } from "./view/report-claim.ts";

/** `ralph task reset`. */
export const reset: CommandSpec = {
  name: "reset",
  summary: "reopen a task",
  description:
    "Makes a done, blocked or failed task pending again with a fresh attempt count, and reopens tasks that were blocked only by it. Keeps its history.",
  examples: ["ralph task reset t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) => {
    refuseInsideIteration("reset");
    return withProject(session, {}, async ({ db }) => {
      for (const id of textOptions(args["ids"])) report(session, await resetOne(db, id, session.clock.now()));
      session.note(safe`hint: ${await nextStep(db)}`);
      return 0;
    });
  },
};

interface ResetResult {
  readonly before: Task;
  readonly task: Task;
  readonly reopened: readonly Task[];
}

async function resetOne(db: Db, id: string, now: Date): Promise<ResetResult> {
  return db.transaction(async (tx) => {
    const before = await requireTask(tx, id);
    await refuseWhileInProgress(tx, id);
    await resetMetrics(tx, id, now);
    await resetTaskMemory(tx, id, now);
    return { before, ...(await resetTask(tx, id, now, await lastAttempt(tx, id))) };
  });
}

function report(session: Session, { before, task, reopened }: ResetResult): void {
  if (session.json) {
    session.out(storedJson({ task, reopened }));
  } else {
    const along =
      reopened.length > 0
        ? safe`; also reopened: ${storedText(reopened.map(({ id }) => id).join(", "))}`
        : safe``;
    const blocked =
      task.status === "blocked" ? safe`; still blocked: ${plainLine(task.statusReason ?? "", 120)}` : safe``;
    session.out(safe`reset ${taskLabel(task)}${along}${blocked}`);
  }
  if (before.status !== "done" || !before.source) return;
  const file = plainLine(before.source.path, 200);
  session.note(safe`warning: the task is still ticked in ${file}; untick it before the next import`);
}

async function refuseWhileInProgress(q: Reader, id: string): Promise<void> {
  if (!(await isInProgress(q, id, { isAlive: isOwnerAlive }))) return;
  throw new RalphError("RALPH_TASK_IN_PROGRESS", `a run is working on ${id}`, {
    hint: "stop the run first: run `ralph stop`",
  });
}
