import { fixable } from "../../../base/errors.ts";
import { present } from "../../../base/json.ts";
import { safe } from "../../../base/safe-text.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import type { TaskChanges } from "../../../tasks/graph/task-fields.ts";
import { updateTask } from "../../../tasks/graph/task-store.ts";
import { compareLists } from "../../../tasks/import-tasks.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { taskActionsOf } from "../../project/task-actions-of.ts";
import { type CommandSpec, type Project, type Session, withProject } from "../../shell/command.ts";
import { optionalText, printResult, textOption, textOptions, usageError } from "../../shell/io.ts";
import { approvalStep } from "./approval-step.ts";
import { noteSecretInCommand, shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { readTaskOptions, taskOptions } from "./task-options.ts";

const byProject = "leave out --verify, so that the project's verification judges the task";

export const add: CommandSpec = {
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
    const named = present({ id: optionalText(options["id"]) });
    return withProject(session, { create: true, own: true }, async (project) => {
      const { db } = project;
      const stated = { ...changes, title: textOption(args["title"]), ...named };
      const actions = await taskActionsOf(session, project);
      const task = await actions.add({ task: stated, after: textOptions(options["after"]) });
      printResult(session, shownTask(task), safe`added ${taskLabel(task)}`);
      noteSecretInCommand(session, task);
      session.note(safe`hint: ${(await approvalStep(session, project, task)) ?? (await nextStep(db))}`);
    });
  },
};

const cleared: Readonly<Record<string, TaskChanges>> = {
  description: { description: "" },
  parent: { parentId: null },
  tags: { tags: [] },
  files: { files: [] },
  acceptance: { acceptance: [] },
  verification: { verification: [] },
  "allow-no-change": { allowNoChange: false },
  "allow-red": { allowRed: false },
};

export const edit: CommandSpec = {
  description: "Changes the given fields and keeps the others. A given list replaces the old one.",
  examples: [
    'ralph task edit t-3fa9c1 --title "Parse RFC dates" --priority low',
    "ralph task edit t-3fa9c1 --clear tags",
  ],
  arguments: [{ name: "<id>", description: "the task" }],
  options: [
    { flags: "--title <title>", description: "the task in one line" },
    ...taskOptions,
    {
      flags: "--clear <field>",
      description: `clear a field (repeatable): ${Object.keys(cleared).join(", ")}`,
      multiple: true,
      choices: Object.keys(cleared),
    },
  ],
  run: async (session, { args, options }) => {
    const id = textOption(args["id"]);
    const byProject = `to have the project's verification judge the task: ralph task edit ${id} --clear verification`;
    const clears: TaskChanges = Object.assign(
      {},
      ...textOptions(options["clear"]).map((field) => cleared[field]),
    );
    const changes = {
      ...clears,
      ...(await readTaskOptions(session, options, byProject)),
      ...present({ title: optionalText(options["title"]) }),
    };
    if (Object.keys(changes).length === 0) {
      throw usageError("no changes were given", "run `ralph task edit --help` to list the fields");
    }
    return withProject(session, {}, async (project) => {
      const task = await project.db.transaction((tx) => updateTask(tx, id, changes, session.clock.now()));
      printResult(session, shownTask(task), safe`changed ${taskLabel(task)}`);
      noteSecretInCommand(session, task);
      if (await isUndoneByFile(session, project, task)) {
        const file = storedLine(task.source?.path ?? "", 200);
        session.note(
          safe`warning: ${storedText(id)} is an item of ${file}, which the next run adopts; change it there too`,
        );
      }
      const toApprove =
        changes.verification === undefined ? undefined : await approvalStep(session, project, task);
      session.note(safe`hint: ${toApprove ?? safe`ralph task show ${storedText(id)}`}`);
    });
  },
};

/** Returns true if the next comparison with the task's file changes the task back. */
async function isUndoneByFile(
  session: Session,
  { db, root, loaded }: Project,
  { id, source }: Task,
): Promise<boolean> {
  if (source === null || loaded.settings.sync === "off") return false;
  try {
    const lists = await compareLists(db, { projectRoot: root }, session.clock.now());
    return lists.some(({ changes }) =>
      changes.some((change) => change.id === id && ["renamed", "edited", "moved"].includes(change.kind)),
    );
  } catch (error) {
    fixable(error);
    return false;
  }
}
