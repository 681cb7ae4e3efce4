import { safe } from "../../../base/safe-text.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { taskActionsOf } from "../../project/task-actions-of.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { optionalText, textOption } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { agentAtWork, reportClaim, stopStep } from "./agent-at-work.ts";
import { taskLabel } from "./describe-task.ts";

/** `ralph task fail`. */
export const command: CommandSpec = {
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
    if (result.noted) {
      reportClaim(session, { id, verdict: "failed" });
      return;
    }
    const { noted: _, ...end } = result;
    const along = end.blocked.map((task) => task.id);
    printResult(
      session,
      end,
      safe`failed ${taskLabel(end.task)}${along.length > 0 ? safe`; also blocked: ${storedText(along.join(", "))}` : ""}`,
    );
    if (agent !== undefined) session.note(safe`note: ${agent}`);
    const reopen = safe`run \`ralph task retry ${storedText(id)}\` to reopen it`;
    session.note(safe`hint: ${agent === undefined ? reopen : safe`${stopStep}, or ${reopen}`}`);
  }),
};
