import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { undoTask } from "../../loop/undo-task.ts";
import { leavingRecords } from "../../memory/hivemind-actions.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { storedText } from "../../trust/stored-text.ts";
import { assembleRun } from "../run/prepare-run.ts";
import { type CommandSpec, withProject } from "../shell/command.ts";
import { printResult } from "../shell/print-result.ts";

/** `ralph undo TASK`: reverts a finished task's commits (LOOP-9). */
export const command: CommandSpec = {
  description:
    "Reverts the task's commits by new commits, unticks it in its source file and reopens it. Deletes the record of that work in the hivemind. The old commits stay in the history.",
  examples: ["ralph undo t-3fa9c1"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  run: async (session, { args, options }) => {
    const id = String(args["task"]);
    return withProject(session, {}, async (project) => {
      await requireTask(project.db, id);
      const run = await assembleRun(session, project, { only: null, spec: null, template: null, options });
      const never = new AbortController().signal;
      const { reverted, head } = await undoTask(
        { ...run, stop: never, forceStop: never, killable: (work) => work() },
        id,
      );
      printResult(
        session,
        { id, reverted, head },
        safe`undid ${storedText(id)}: reverted ${count(reverted.length, "commit")}; the task is pending again`,
      );
      const { count: left, problem } = await leavingRecords(project.db);
      if (left > 0) {
        const why = storedText(problem ?? "it is off here");
        session.note(
          safe`note: the hivemind still has ${count(left, "record")} of what was undone: ${why}; the next run deletes ${left === 1 ? "it" : "them"}`,
        );
      }
      session.note("hint: run `ralph run`");
    });
  },
};
