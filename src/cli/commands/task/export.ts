import { stringify } from "yaml";
import { safe } from "../../../base/safe-text.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { blockersByTask } from "../../../tasks/graph/task-graph.ts";
import { listTasks } from "../../../tasks/graph/task-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { optionalText } from "../../shell/io.ts";
import { writeExport } from "../../shell/write-export.ts";
import { taskTree } from "./task-tree.ts";

const exportFormats = ["yaml", "markdown", "json"] as const;
type ExportFormat = (typeof exportFormats)[number];

/** `ralph task export`. */
export const command: CommandSpec = {
  description:
    "YAML keeps fields and dependencies; Markdown keeps only the tree of titles and what is done. Both can be imported again. JSON contains everything. Without a file, prints to standard output.",
  examples: ["ralph task export tasks.yaml", "ralph task export --format markdown"],
  arguments: [{ name: "[file]", description: "output file; its extension selects the format" }],
  options: [
    { flags: "--format <format>", description: exportFormats.join(", "), choices: exportFormats },
    { flags: "--force", description: "replace an existing file" },
  ],
  run: async (session, { args, options }) => {
    const file = optionalText(args["file"]);
    const named = exportFormats.find((one) => one === options["format"]);
    const format = session.json ? "json" : (named ?? formatOf(file));
    return withProject(session, {}, async ({ db }) => {
      const tasks = (await listTasks(db)).toSorted((a, b) => a.position - b.position);
      const text = renderExport(format, { tasks, blockersOf: await blockersByTask(db) });
      if (file === undefined) {
        session.outFile(text.trimEnd());
        return;
      }
      await writeExport(session, { options }, { file, text, code: "RALPH_TASK_FILE" });
      session.out(safe`wrote ${count(tasks.length, "task")} to ${storedText(file)}`);
    });
  },
};

function formatOf(file: string | undefined): ExportFormat {
  if (file?.endsWith(".md")) return "markdown";
  return file?.endsWith(".json") ? "json" : "yaml";
}

interface Exported {
  readonly tasks: readonly Task[];
  readonly blockersOf: (id: string) => readonly string[];
}

/** Renders all tasks as a file. `ralph task import` reads YAML and Markdown. */
function renderExport(format: ExportFormat, exported: Exported): string {
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
