import { safe } from "../../../base/safe-text.ts";
import type { Completion } from "../../../tasks/graph/task-transitions.ts";
import type { TickResult } from "../../../tasks/tick-sources.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { taskActionsOf } from "../../project/task-actions-of.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";
import { textOptions } from "../../shell/option-values.ts";
import { reportClaim } from "./agent-at-work.ts";
import { taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { noteTicks } from "./note-ticks.ts";

/** `ralph task done`. */
export const command: CommandSpec = {
  description:
    "Marks tasks as done without verification. If an agent is working on the task, this only records a claim, which ralph verifies.",
  examples: ["ralph task done t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: inProject(async (session, project, { args }) => {
    const actions = await taskActionsOf(session, project);
    for (const id of textOptions(args["ids"])) {
      const result = await actions.done(id);
      if (result.noted) reportClaim(session, { id, verdict: "done" });
      else await report(session, project.root, result);
    }
    session.note(safe`hint: ${await nextStep(project.db)}`);
  }),
};

interface DoneResult {
  readonly end: Completion;
  readonly ticked: TickResult;
}

async function report(session: Session, root: string, { end, ticked }: DoneResult): Promise<void> {
  const { completed, unblocked } = end;
  const [task, ...parents] = completed;
  if (session.json) session.out(storedJson({ completed, unblocked }));
  else if (task) {
    const along =
      parents.length > 0 ? safe`; also done: ${storedText(parents.map(({ id }) => id).join(", "))}` : "";
    const ready =
      unblocked.length > 0 ? safe`; ready now: ${storedText(unblocked.map(({ id }) => id).join(", "))}` : "";
    session.out(safe`done ${taskLabel(task)}${along}${ready}`);
  }
  await noteTicks(session, root, { verb: "ticked", paths: ticked.paths });
  for (const warning of ticked.warnings) session.note(safe`warning: ${storedText(warning)}`);
}
