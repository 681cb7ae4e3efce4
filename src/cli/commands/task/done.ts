import { messageOf, RalphError } from "../../../base/errors.ts";
import { type Completion, markDone } from "../../../tasks/finish-task.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import type { CommandSpec, Project, Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { named } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { sayOfClaim } from "./say-of-claim.ts";
import { words } from "./typed.ts";
import { withProject } from "./with-project.ts";

/** `ralph task done`. */
export const done: CommandSpec = {
  name: "done",
  summary: "mark a task done",
  description:
    "Your word that it is done: nothing is verified. Of a task that an agent is at work on it is only a claim, which ralph verifies.",
  examples: ["ralph task done t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) =>
    withProject(session, {}, async (project) => {
      for (const id of words(args["ids"])) {
        const end = await project.db.transaction(async (tx) => {
          await requireTask(tx, id);
          if (await sayOfClaim(session, tx, { id, verdict: "done" })) return undefined;
          return markDone(tx, id, session.clock.now());
        });
        if (!end) continue;
        tell(session, end);
        await tickSources(session, project, end);
      }
      session.note(`hint: ${await nextStep(project.db)}`);
      return 0;
    }),
};

function tell(session: Session, { completed, unblocked }: Completion): void {
  if (session.json) {
    session.out(jsonLine({ completed, unblocked }));
    return;
  }
  const [task, ...parents] = completed;
  if (!task) return;
  const along = parents.length > 0 ? `; with it ${parents.map(({ id }) => id).join(", ")}` : "";
  const ready = unblocked.length > 0 ? `; ready now: ${unblocked.map(({ id }) => id).join(", ")}` : "";
  session.out(`done ${named(task)}${along}${ready}`);
}

/** The files that the tasks came from follow (TASK-5); one that cannot is told of, the task is done all the same. */
async function tickSources(session: Session, project: Project, { completed }: Completion): Promise<void> {
  if (completed.every(({ source }) => source === null)) return;
  const { tickSource } = await import("../../../tasks/write-back.ts");
  for (const task of completed) {
    try {
      const ticked = await tickSource(project.root, task);
      if (ticked?.changed) session.note(`ticked in ${ticked.path}`);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      session.note(`warning: not ticked in its file: ${messageOf(error)}`);
    }
  }
}
