import { type NewTask, priorityNames, type Task, taskStatuses } from "../tasks/graph/task.ts";
import { type Arguments, choice, count, requiredText, text, texts } from "./arguments.ts";
import { defineTool, type Tool } from "./tool.ts";

const list = defineTool({
  name: "task_list",
  description:
    "List the project's tasks in the order in which they run, with id, title, status and blockers.",
  reads: true,
  inputs: {
    status: choice(taskStatuses, "only tasks with this status").optional(),
    tag: text("only tasks with this tag"),
    parent: text("only the children of this task"),
    limit: count(1000, "maximum number of tasks; default 50"),
  },
  run: async ({ tasks }, { status, tag, parent: parentId, limit = 50 }) => {
    const rows = await tasks.list({
      ...(status === undefined ? {} : { status }),
      ...(tag === undefined ? {} : { tag }),
      ...(parentId === undefined ? {} : { parentId }),
    });
    const { listedJson } = await import("../tasks/listed-tasks.ts");
    const shown = rows.slice(0, limit).map(listedJson);
    return { tasks: shown, total: rows.length };
  },
});

const newTaskInputs = {
  title: requiredText("what to do, in one line"),
  description: text("everything the later session needs to know"),
  priority: choice(priorityNames, `${priorityNames.join(", ")}; default medium`).optional(),
  parent: text("id of the task it is a part of"),
  after: texts("ids of tasks that must be done first"),
  tags: texts("tags"),
  files: texts("files it concerns"),
  acceptance: texts("acceptance criteria"),
};

const add = defineTool({
  name: "task_add",
  description:
    "Add a task for a later session: work that you found and that is not part of your own task. It does not affect your current task.",
  reads: false,
  inputs: newTaskInputs,
  run: async ({ tasks }, given) => {
    const task = await tasks.add({ task: newTask(given), after: given.after ?? [] });
    return { id: task.id, title: task.title, status: task.status };
  },
});

const done = defineTool({
  name: "task_done",
  description:
    "Report that a task is done. For your current task this is a claim: ralph verifies it when your session ends.",
  reads: false,
  inputs: { id: requiredText("the task's id") },
  run: async ({ tasks }, { id }) => {
    const claim = await tasks.done(id);
    if (claim.noted) return claimAnswer(id, "done: ralph verifies it when your session ends");
    const { completed, unblocked } = claim.end;
    return {
      id,
      status: "done",
      note: "not verified: no run is working on this task",
      completed: completed.map(named),
      unblocked: unblocked.map(named),
      ticked: claim.ticked.paths,
      warnings: claim.ticked.warnings,
    };
  },
});

const failed = defineTool({
  name: "task_failed",
  description:
    "Report that a task cannot be done as written. For your current task this is a claim: the attempt counts as failed. Explain why in your final message (<failure-report>).",
  reads: false,
  inputs: { id: requiredText("the task's id"), reason: text("why it cannot be done") },
  run: async ({ tasks }, { id, reason }) => {
    const claim = await tasks.fail(id, reason?.trim() || "reported as failed through ralph's tools");
    if (claim.noted) return claimAnswer(id, "failed: explain why in your final message (<failure-report>)");
    return { id, status: claim.task.status, blocked: claim.blocked.map(named) };
  },
});

export const taskTools: readonly Tool[] = [list, add, done, failed];

/**
 * A task without verification: a run executes the commands of tasks that are added while it works, and no agent may
 * approve commands.
 */
function newTask(given: Arguments<typeof newTaskInputs>): NewTask {
  const { title, description, priority, parent } = given;
  return {
    title,
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority: priorityNames.indexOf(priority) }),
    ...(parent === undefined ? {} : { parentId: parent }),
    tags: given.tags ?? [],
    files: given.files ?? [],
    acceptance: given.acceptance ?? [],
  };
}

function claimAnswer(id: string, what: string): object {
  return { id, noted: true, note: `recorded: ${id} is claimed ${what}` };
}

function named({ id, title }: Task): object {
  return { id, title };
}
