import { RalphError } from "../../../base/errors.ts";
import { resetStrategy } from "../../../memory/reset-memory.ts";
import type { Db, Reader } from "../../../store/db.ts";
import { lastAttempt } from "../../../tasks/attempt-counts.ts";
import { resetTask } from "../../../tasks/finish-task.ts";
import { isWorkedOn } from "../../../tasks/note-word.ts";
import type { Task } from "../../../tasks/task.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import type { CommandSpec, Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { named, plainLine } from "./describe-task.ts";
import { refuseInsideIteration } from "./inside-iteration.ts";
import { nextStep } from "./next-step.ts";
import { isOwnerAlive } from "./say-of-claim.ts";
import { words } from "./typed.ts";
import { withProject } from "./with-project.ts";

/** `ralph task reset`. */
export const reset: CommandSpec = {
  name: "reset",
  summary: "reopen a task",
  description:
    "Makes a done, blocked or failed task pending again, with all its attempts to try anew, and opens what was blocked only because of it. Its history stays.",
  examples: ["ralph task reset t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) => {
    refuseInsideIteration("reset");
    return withProject(session, {}, async ({ db }) => {
      for (const id of words(args["ids"])) tell(session, await resetOne(db, id, session.clock.now()));
      session.note(`hint: ${await nextStep(db)}`);
      return 0;
    });
  },
};

interface Reset {
  readonly before: Task;
  readonly task: Task;
  readonly reopened: readonly Task[];
}

async function resetOne(db: Db, id: string, now: Date): Promise<Reset> {
  return db.transaction(async (tx) => {
    const before = await requireTask(tx, id);
    await refuseWhileWorkedOn(tx, id);
    await resetStrategy(tx, id, now);
    return { before, ...(await resetTask(tx, id, now, await lastAttempt(tx, id))) };
  });
}

function tell(session: Session, { before, task, reopened }: Reset): void {
  if (session.json) {
    session.out(jsonLine({ task, reopened }));
  } else {
    const along =
      reopened.length > 0 ? `; open again with it: ${reopened.map(({ id }) => id).join(", ")}` : "";
    const blocked =
      task.status === "blocked" ? `; still blocked: ${plainLine(task.statusReason ?? "", 120)}` : "";
    session.out(`reset ${named(task)}${along}${blocked}`);
  }
  if (before.status !== "done" || !before.source) return;
  const file = plainLine(before.source.path, 200);
  session.note(`warning: ${file} still says that it is done; untick it before the next import`);
}

async function refuseWhileWorkedOn(q: Reader, id: string): Promise<void> {
  if (!(await isWorkedOn(q, id, { isAlive: isOwnerAlive }))) return;
  throw new RalphError("RALPH_TASK_IN_PROGRESS", `a run is at work on ${id}`, {
    hint: "stop it first: Ctrl-C there, or see `ralph status`",
  });
}
