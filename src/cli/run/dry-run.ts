import { join } from "node:path";
import { interruptedWork } from "../../loop/interrupted-work.ts";
import { verifyCommandsFor } from "../../loop/judge-attempt.ts";
import { preparePrompt } from "../../loop/prepare-prompt.ts";
import { readWorkspaceState } from "../../loop/workspace-state-store.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import { selectModel } from "../../strategy/select-model.ts";
import { nextTask } from "../../tasks/next-task.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Session } from "../shell/command.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Prints the exact prompt and command for the next task (`ralph run --dry-run`). Starts and writes nothing (LOOP-12). */
export async function dryRun(session: Session, run: PreparedRun): Promise<number> {
  const task = await nextTask(run.db, run.options.only ?? undefined);
  if (!task) {
    session.note("No task is ready. Run `ralph status` to see why.");
    return 0;
  }
  const [agent] = run.agents;
  const { options } = run;
  const { model, rationale } = await selectModel(run.db, {
    strategy: options.strategy,
    tiers: agent.tiers,
    defaultModel: agent.defaultModel,
    flagModel: options.flagModel,
    task,
    iteration: 1,
  });
  const attempt = (await lastAttempt(run.db, task.id)) + 1;
  const where = {
    db: run.db,
    memory: run.memory,
    task,
    attempt,
    runId: run.runId,
    iteration: 1,
    root: run.root,
    interrupted: await interruptedWork(run, task, await readWorkspaceState(run.db)),
  };
  const { prompt } = await preparePrompt({ ...where, model, rationale, tiers: agent.tiers, options });
  const { argv } = agent.command({
    prompt,
    cwd: run.root,
    model,
    taskId: task.id,
    runId: run.runId,
    iteration: 1,
    attempt,
    marker: run.runId,
    tmpDir: join(run.folder, "tmp", "dry-run"),
    verifyCommands: verifyCommandsFor({ options }, { task }).map((check) => check.run),
    logFile: "",
    timeoutMs: options.taskTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    signal: new AbortController().signal,
    isolation: run.isolation,
    onActivity: () => undefined,
  });
  if (session.json) {
    session.out(JSON.stringify({ taskId: task.id, attempt, model, rationale, argv, prompt }));
    return 0;
  }
  session.note(`task ${task.id}, attempt ${attempt}, model ${model} (${rationale})`);
  session.note(
    `command: ${argv.map((word) => (/^[\w./:=@,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}`,
  );
  session.out(stripControls(prompt));
  return 0;
}
