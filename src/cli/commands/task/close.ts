import { RalphError } from "../../../base/errors.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Reader } from "../../../store/port/db.ts";
import type { ClaimResult } from "../../../tasks/claim-outcome.ts";
import { claimOf, skippedReason } from "../../../tasks/graph/claim-store.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { blockTask, type Completion } from "../../../tasks/graph/task-transitions.ts";
import type { TickResult } from "../../../tasks/tick-sources.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { isOwnerAlive, taskActionsOf } from "../../project/task-actions-of.ts";
import { type CommandSpec, inProject, type Project, type Session } from "../../shell/command.ts";
import { optionalText, printResult, textOption, textOptions } from "../../shell/io.ts";
import { alsoText, shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { noteTicks } from "./note-ticks.ts";

/** Says what happens to the agent that works on the task, for a command that takes the task away from it; undefined: none does. */
async function agentAtWork(q: Reader, id: string): Promise<SafeText | undefined> {
  const claim = await claimOf(q, id);
  if (!claim || !(await isOwnerAlive(claim.owner))) return undefined;
  // A run renews its claims every 15 seconds, and then learns of it.
  return safe`an agent works on ${storedText(id)} in run ${storedText(claim.runId)}: its result will not count, and its session ends within 15 s`;
}

const stopStep: SafeText = safe`run \`ralph stop\` to stop the whole run`;

/** Reports that a verdict was recorded only as a claim (LOOP-4). */
function reportClaim(session: Session, { id, verdict }: ClaimResult): void {
  const then = safe`ralph ${verdict === "done" ? "verifies" : "records"} it when the agent ends`;
  const text = safe`claim recorded: ${storedText(id)} is ${verdict}; ${then}`;
  printResult(session, { id, claimed: verdict }, text);
}

export const done: CommandSpec = {
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
    const along = safe`${alsoText(safe`also done`, parents)}${alsoText(safe`ready now`, unblocked)}`;
    session.out(safe`done ${taskLabel(task)}${along}`);
  }
  await noteTicks(session, root, { verb: "ticked", paths: ticked.paths });
  for (const warning of ticked.warnings) session.note(safe`warning: ${storedText(warning)}`);
}

export const fail: CommandSpec = {
  description:
    "Marks a task as failed and blocks its dependents. If an agent is working on the task, its result will not count; typed by that agent, this only records a claim.",
  examples: ['ralph task fail t-3fa9c1 --reason "the API is gone"'],
  arguments: [{ name: "<id>", description: "the task" }],
  options: [
    {
      flags: "--reason <text>",
      description: "why it failed",
      whenBlank: "state why it failed, or leave out --reason",
    },
  ],
  run: inProject(async (session, project, { args, options }) => {
    const id = textOption(args["id"]);
    const agent = await agentAtWork(project.db, id);
    const reason = optionalText(options["reason"]) ?? "marked as failed by a person";
    const result = await (await taskActionsOf(session, project)).fail(id, reason);
    if (result.noted) return reportClaim(session, { id, verdict: "failed" });
    const { noted: _, ...end } = result;
    const along = alsoText(safe`also blocked`, end.blocked);
    printResult(session, end, safe`failed ${taskLabel(end.task)}${along}`);
    if (agent !== undefined) session.note(safe`note: ${agent}`);
    const reopen = safe`run \`ralph task retry ${storedText(id)}\` to reopen it`;
    session.note(safe`hint: ${agent === undefined ? reopen : safe`${stopStep}, or ${reopen}`}`);
  }),
};

export const skip: CommandSpec = {
  description:
    "Blocks tasks with the reason `skipped`. Tasks that depend on them wait. If an agent is working on a task, its result will not count. `ralph task retry` reopens a task.",
  examples: ["ralph task skip t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: inProject(async (session, { db }, { args }) => {
    let hint: SafeText | undefined;
    for (const id of textOptions(args["ids"])) {
      const agent = await agentAtWork(db, id);
      const task = await skipOne(db, id, session.clock.now());
      session.out(session.json ? storedJson(shownTask(task)) : safe`skipped ${taskLabel(task)}`);
      if (agent !== undefined) {
        session.note(safe`note: ${agent}`);
        hint = stopStep;
      }
    }
    session.note(safe`hint: ${hint ?? (await nextStep(db))}`);
  }),
};

async function skipOne(db: Project["db"], id: string, now: Date): Promise<Task> {
  return db.transaction(async (tx) => {
    const { status } = await requireTask(tx, id);
    if (status === "done") {
      throw new RalphError("RALPH_TASK_CLOSED", `task ${id} is done: only an open task can be skipped`);
    }
    await blockTask(tx, id, { cause: "person", reason: skippedReason }, now);
    return requireTask(tx, id);
  });
}
