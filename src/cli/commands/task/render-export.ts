import { stringify } from "yaml";
import { oneLine } from "../../../base/text.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { taskTree } from "./task-tree.ts";

export const exportFormats = ["yaml", "markdown", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

interface Exported {
  readonly tasks: readonly Task[];
  readonly blockersOf: (id: string) => readonly string[];
}

/** Renders all tasks as a file. `ralph task import` reads YAML and Markdown. */
export function renderExport(format: ExportFormat, exported: Exported): string {
  switch (format) {
    case "yaml":
      return stringify({ version: "1.0", tasks: yamlTasks(exported) }, { lineWidth: 0 });
    case "markdown":
      return markdown(exported.tasks);
    case "json":
      return `${JSON.stringify(
        exported.tasks.map((task) => ({ ...task, blockedBy: exported.blockersOf(task.id) })),
        null,
        2,
      )}\n`;
  }
}

const priorities = ["critical", "high", "medium", "low"];

/** Returns tasks in the format of `tasks.yaml`, which has no parents: a parent is written as depending on its children. */
function yamlTasks({ tasks, blockersOf }: Exported): readonly object[] {
  const children = new Map<string, string[]>(tasks.map(({ id }) => [id, []]));
  for (const { id, parentId } of tasks) children.get(parentId ?? "")?.push(id);
  return tasks.map((task) => {
    const dependsOn = [...new Set([...blockersOf(task.id), ...(children.get(task.id) ?? [])])];
    return {
      id: task.id,
      title: task.title,
      ...(task.description !== "" && { description: task.description }),
      priority: priorities[Math.max(0, task.priority)] ?? "low",
      ...(task.parallelGroup !== null && { parallel_group: task.parallelGroup }),
      ...(task.status === "done" && { completed: true }),
      ...blocked(task),
      ...filled("depends_on", dependsOn),
      ...filled(
        "verification",
        task.verification.map(({ run }) => run),
      ),
      ...(task.allowNoChange && { allow_no_change: true }),
      ...(task.allowRed && { allow_red: true }),
      ...filled("acceptance_criteria", task.acceptance),
      ...filled("files", task.files),
      ...filled("tags", task.tags),
      ...(task.commitTemplate !== null && { commit_template: task.commitTemplate }),
    };
  });
}

/** Returns the blocked fields of a task. Blocks caused by other tasks follow from the dependencies, so they are left out. */
function blocked(task: Task): object {
  const own = task.status === "blocked" && task.blockCause !== "dependency" && task.blockCause !== "child";
  if (!own && task.status !== "failed") return {};
  return { blocked: true, blocked_reason: task.statusReason ?? task.status };
}

function filled(key: string, values: readonly string[]): object {
  return values.length > 0 ? { [key]: [...values] } : {};
}

function markdown(tasks: readonly Task[]): string {
  const lines = taskTree(tasks).map(({ task, depth }) => {
    const box = task.status === "done" ? "[x]" : "[ ]";
    return `${"  ".repeat(depth)}- ${box} ${oneLine(task.title)}`;
  });
  return `# Tasks\n\n${lines.join("\n")}${lines.length > 0 ? "\n" : ""}`;
}
