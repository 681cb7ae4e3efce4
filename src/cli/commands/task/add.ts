import { safe } from "../../../base/safe-text.ts";
import { taskActionsOf } from "../../project/task-actions-of.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { optionalText, textOption, textOptions } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { approvalStep } from "./approval-step.ts";
import { noteSecretInCommand, shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { readTaskOptions, taskOptions } from "./task-options.ts";

const byProject = "leave out --verify, so that the project's verification judges the task";

/** `ralph task add`. */
export const command: CommandSpec = {
  examples: [
    'ralph task add "Parse ISO dates" --priority high --verify "npm test -- dates"',
    'ralph task add "Document them" --after t-3fa9c1',
  ],
  arguments: [{ name: "<title>", description: "the task in one line" }],
  options: [
    ...taskOptions,
    { flags: "--after <id>", description: "a task that must be done first (repeatable)", multiple: true },
    { flags: "--id <id>", description: "id of the task (default: t- and six hex digits)" },
  ],
  run: async (session, { args, options }) => {
    const changes = await readTaskOptions(session, options, byProject);
    const id = optionalText(options["id"]);
    return withProject(session, { create: true, own: true }, async (project) => {
      const { db } = project;
      const stated = { ...changes, title: textOption(args["title"]), ...(id === undefined ? {} : { id }) };
      const actions = await taskActionsOf(session, project);
      const task = await actions.add({ task: stated, after: textOptions(options["after"]) });
      printResult(session, shownTask(task), safe`added ${taskLabel(task)}`);
      noteSecretInCommand(session, task);
      session.note(safe`hint: ${(await approvalStep(session, project, task)) ?? (await nextStep(db))}`);
    });
  },
};
