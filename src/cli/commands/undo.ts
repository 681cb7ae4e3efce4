import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { undoTask } from "../../loop/undo-task.ts";
import { leavingRecords } from "../../memory/hivemind-actions.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { NamedCommit } from "../../workspace/revert.ts";
import { assembleRun } from "../run/prepare-run.ts";
import { type CommandSpec, type Session, withProject } from "../shell/command.ts";
import { printResult } from "../shell/print-result.ts";

/** Lists the commits, and asks on a terminal. */
async function approved(session: Session, commits: readonly NamedCommit[]): Promise<boolean> {
  if (commits.length === 0) return true;
  for (const { hash, author, subject } of commits)
    session.note(safe`${safeLine(hash.slice(0, 9), 9)} ${safeLine(subject, 100)} (${safeLine(author, 40)})`);
  return session.confirm(safe`Revert ${count(commits.length, "commit")}?`, true);
}

/** `ralph undo TASK`: reverts a finished task's commits (LOOP-9). */
export const command: CommandSpec = {
  description:
    "Lists the task's commits, those of its session too, asks on a terminal, reverts them by new commits, unticks it in its source file and reopens it. Deletes the record of that work in the hivemind. The old commits stay in the history.",
  examples: ["ralph undo t-3fa9c1"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  run: async (session, { args, options }) => {
    const id = String(args["task"]);
    return withProject(session, {}, async (project) => {
      await requireTask(project.db, id);
      const run = await assembleRun(session, project, { only: null, spec: null, template: null, options });
      const never = new AbortController().signal;
      const setup = {
        ...run,
        stop: never,
        forceStop: never,
        killable: <T>(work: () => Promise<T>) => work(),
      };
      const undone = await undoTask(setup, id, (commits) => approved(session, commits));
      if (undone === null) return session.note("nothing was undone");
      const { reverted, head } = undone;
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
