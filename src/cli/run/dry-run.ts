import { join } from "node:path";
import { joinSafe, safe } from "../../base/safe-text.ts";
import { plannedCommand, previewAttempt } from "../../loop/preview-attempt.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import type { Session } from "../shell/command.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Prints the exact prompt and command for the next task (`ralph run --dry-run`). Starts and writes nothing (LOOP-12). */
export async function dryRun(session: Session, run: PreparedRun): Promise<void> {
  const task = await nextTask(run.db, run.options.only ?? undefined);
  if (!task) {
    session.note("No task is ready. Run `ralph status` to see why.");
    if (session.json) session.out(storedJson(null));
    return;
  }
  noteWithout(session, run);
  const plan = await previewAttempt(run, { task, agent: run.agents[0], number: 1 });
  const { attempt, model, rationale } = plan;
  const { argv } = plannedCommand(run, plan, join(run.folder, "tmp", "dry-run"));
  const { prompt } = plan.prompt;
  if (session.json) {
    session.out(storedJson({ taskId: task.id, attempt, model, rationale, argv, prompt }));
    return;
  }
  session.note(
    safe`task ${storedText(task.id)}, attempt ${attempt}, model ${storedText(model)} (${storedText(rationale)})`,
  );
  session.note(
    safe`command: ${joinSafe(
      argv.map((word) => (/^[\w./:=@,-]+$/.test(word) ? storedText(word) : storedText(JSON.stringify(word)))),
      " ",
    )}`,
  );
  session.outFile(prompt);
}

/** Names what settings or flags leave out of the prompt. */
function noteWithout(session: Session, { project }: PreparedRun): void {
  const { memory, skills } = project.loaded.settings;
  if (!memory.enabled) session.note("memory: off (--no-memory); the prompt has no memory and no skills");
  else if (!skills.enabled) session.note("skills: off (--no-skills); the prompt has none");
}
