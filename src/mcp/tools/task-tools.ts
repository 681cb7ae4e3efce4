import { listedJson } from "../../tasks/listed-tasks.ts";
import { type NewTask, priorityNames, type Task, type TaskStatus, taskStatuses } from "../../tasks/task.ts";
import type { Tool } from "../tool.ts";
import type { Given } from "./arguments.ts";

const list: Tool = {
  name: "task_list",
  description:
    "List the project's tasks in the order in which they run, with id, title, status and blockers.",
  reads: true,
  inputs: {
    status: {
      type: "text",
      about: `only tasks with this status: ${taskStatuses.join(", ")}`,
      choices: taskStatuses,
    },
    tag: { type: "text", about: "only tasks with this tag" },
    parent: { type: "text", about: "only the children of this task" },
    limit: { type: "number", about: "maximum number of tasks; default 50", most: 1000 },
  },
  run: async ({ tasks }, given) => {
    const [tag, parentId] = [given.optional("tag"), given.optional("parent")];
    const status = taskStatuses.find((one) => one === given.optional("status"));
    const rows = await tasks.list({
      ...(status === undefined ? {} : { status: status satisfies TaskStatus }),
      ...(tag === undefined ? {} : { tag }),
      ...(parentId === undefined ? {} : { parentId }),
    });
    const shown = rows.slice(0, given.number("limit", 50)).map(listedJson);
    return { tasks: shown, total: rows.length };
  },
};

const add: Tool = {
  name: "task_add",
  description:
    "Add a task for a later session: work that you found and that is not part of your own task. It does not affect your current task.",
  reads: false,
  inputs: {
    title: { type: "text", about: "what to do, in one line", required: true },
    description: { type: "text", about: "everything the later session needs to know" },
    priority: { type: "text", about: `${priorityNames.join(", ")}; default medium`, choices: priorityNames },
    parent: { type: "text", about: "id of the task it is a part of" },
    after: { type: "texts", about: "ids of tasks that must be done first" },
    tags: { type: "texts", about: "tags" },
    files: { type: "texts", about: "files it concerns" },
    acceptance: { type: "texts", about: "acceptance criteria" },
  },
  run: async ({ tasks }, given) => {
    const task = await tasks.add({ task: newTask(given), after: given.texts("after") });
    return { id: task.id, title: task.title, status: task.status };
  },
};

const done: Tool = {
  name: "task_done",
  description:
    "Report that a task is done. For your current task this is a claim: ralph verifies it when your session ends.",
  reads: false,
  inputs: { id: { type: "text", about: "the task's id", required: true } },
  run: async ({ tasks }, given) => {
    const id = given.text("id").trim();
    const said = await tasks.done(id);
    if (said.noted) return claimAnswer(id, "done: ralph verifies it when your session ends");
    const { completed, unblocked } = said.end;
    return {
      id,
      status: "done",
      note: "not verified: no run is working on this task",
      completed: completed.map(named),
      unblocked: unblocked.map(named),
      ticked: said.ticked.paths,
      warnings: said.ticked.warnings,
    };
  },
};

const failed: Tool = {
  name: "task_failed",
  description:
    "Report that a task cannot be done as written. For your current task this is a claim: the attempt counts as failed. Explain why in your final message (<failure-report>).",
  reads: false,
  inputs: {
    id: { type: "text", about: "the task's id", required: true },
    reason: { type: "text", about: "why it cannot be done" },
  },
  run: async ({ tasks }, given) => {
    const id = given.text("id").trim();
    const said = await tasks.fail(
      id,
      given.optional("reason")?.trim() || "reported as failed through ralph's tools",
    );
    if (said.noted) return claimAnswer(id, "failed: explain why in your final message (<failure-report>)");
    return { id, status: said.task.status, blocked: said.blocked.map(named) };
  },
};

export const taskTools: readonly Tool[] = [list, add, done, failed];

/** No verification: a run executes the commands of tasks that are added while it works, and an agent approves none. */
function newTask(given: Given): NewTask {
  const [description, priority] = [given.optional("description"), given.optional("priority")];
  const parentId = given.optional("parent");
  return {
    title: given.text("title"),
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority: priorityNames.indexOf(priority) }),
    ...(parentId === undefined ? {} : { parentId }),
    tags: given.texts("tags"),
    files: given.texts("files"),
    acceptance: given.texts("acceptance"),
  };
}

function claimAnswer(id: string, what: string): object {
  return { id, noted: true, note: `recorded: ${id} is claimed ${what}` };
}

function named({ id, title }: Task): object {
  return { id, title };
}
