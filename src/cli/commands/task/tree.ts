import type { Task } from "../../../tasks/task.ts";
import { listTasks, requireTask } from "../../../tasks/task-store.ts";
import { type TreeLine, taskTree } from "../../../tasks/task-tree.ts";
import type { CommandSpec, Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { lineWidth, painterOf, plainLine, statusMark } from "./describe-task.ts";
import { optionalWord } from "./typed.ts";
import { withProject } from "./with-project.ts";

/** `ralph task tree`. */
export const tree: CommandSpec = {
  name: "tree",
  summary: "show tasks as a tree",
  arguments: [{ name: "[id]", description: "only this task and what lies below it" }],
  run: async (session, { args }) =>
    withProject(session, {}, async ({ db }) => {
      const root = optionalWord(args["id"]);
      if (root !== undefined) await requireTask(db, root);
      const all = await listTasks(db);
      const tasks = root === undefined ? all : below(all, root);
      const lines = taskTree(tasks);
      if (session.json) session.out(jsonLine(lines.map(({ task, depth }) => asJson(task, depth))));
      else session.out(lines.length > 0 ? draw(session, lines) : "no tasks");
      return 0;
    }),
};

function below(tasks: readonly Task[], root: string): readonly Task[] {
  const lines = taskTree(tasks);
  const start = lines.findIndex(({ task }) => task.id === root);
  const depth = lines[start]?.depth ?? 0;
  const end = lines.findIndex((line, at) => at > start && line.depth <= depth);
  return lines.slice(start, end < 0 ? undefined : end).map(({ task }) => task);
}

function asJson({ id, title, status, priority, parentId }: Task, depth: number): object {
  return { id, title, status, priority, parentId, depth };
}

function draw(session: Session, lines: readonly TreeLine[]): string {
  const paint = painterOf(session);
  const progress = new Map<string, { done: number; all: number }>();
  for (const { task } of lines) {
    if (task.parentId === null) continue;
    const of = progress.get(task.parentId) ?? { done: 0, all: 0 };
    progress.set(task.parentId, { done: of.done + (task.status === "done" ? 1 : 0), all: of.all + 1 });
  }
  const width = lineWidth(session);
  return lines
    .map(({ task, branch }) => {
      const children = progress.get(task.id);
      const share = children ? ` (${children.done}/${children.all})` : "";
      const used = branch.length + "⊘ in progress ".length + task.id.length + 1 + share.length;
      const title = plainLine(task.title, Math.max(20, width - used));
      return `${paint("dim", branch)}${statusMark(paint, task.status)} ${task.id} ${title}${paint("dim", share)}`;
    })
    .join("\n");
}
