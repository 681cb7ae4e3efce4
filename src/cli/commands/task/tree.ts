import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { TaskLine } from "../../../tasks/graph/task.ts";
import { listTaskLines, requireTask } from "../../../tasks/graph/task-store.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, printResult } from "../../shell/io.ts";
import { lengthOptions, lineLimit, lineWidth, painterOf, statusMark } from "./describe-task.ts";
import { type TreeLine, taskTree } from "./task-tree.ts";

/** `ralph task tree`. */
export const command: CommandSpec = {
  description:
    "On a terminal, prints at most 100 lines and hides the children of finished tasks; --all shows them. In a pipe and with --json, prints everything.",
  arguments: [{ name: "[id]", description: "show only this task and its descendants" }],
  options: lengthOptions,
  run: async (session, { args, options }) => {
    const limit = lineLimit(session, options);
    return withProject(session, {}, async ({ db }) => {
      const root = optionalText(args["id"]);
      if (root !== undefined) await requireTask(db, root);
      const all = await listTaskLines(db);
      const tasks = root === undefined ? all : below(all, root);
      const lines = taskTree(tasks);
      printResult(
        session,
        lines.map(({ task: { id, title, status, priority, parentId }, depth }) => ({
          id,
          title,
          status,
          priority,
          parentId,
          depth,
        })),
        lines.length > 0 ? renderTree(session, lines, { limit, root }) : safe`no tasks`,
      );
    });
  },
};

/** Removes the descendants of finished tasks, except those of the requested root. */
function collapsed(lines: readonly TreeLine[], root: string | undefined): readonly TreeLine[] {
  let hiddenBelow = Number.POSITIVE_INFINITY;
  return lines.filter(({ task, depth }) => {
    if (depth > hiddenBelow) return false;
    hiddenBelow = task.status === "done" && task.id !== root ? depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

function below(tasks: readonly TaskLine[], root: string): readonly TaskLine[] {
  const lines = taskTree(tasks);
  const start = lines.findIndex(({ task }) => task.id === root);
  const depth = lines[start]?.depth ?? 0;
  const end = lines.findIndex((line, at) => at > start && line.depth <= depth);
  return lines.slice(start, end < 0 ? undefined : end).map(({ task }) => task);
}

interface TreeOptions {
  readonly limit: number;
  readonly root: string | undefined;
}

function renderTree(session: Session, all: readonly TreeLine[], { limit, root }: TreeOptions): SafeText {
  const lines = Number.isFinite(limit) ? collapsed(all, root) : all;
  const shown = lines.slice(0, limit);
  const left = all.length - shown.length;
  const drawn = renderLines(session, all, shown);
  return left > 0
    ? safe`${drawn}\n… ${count(all.length, "task")}, ${left} of them hidden (use --all or --limit)`
    : drawn;
}

function renderLines(session: Session, all: readonly TreeLine[], shown: readonly TreeLine[]): SafeText {
  const paint = painterOf(session);
  const progress = new Map<string, { done: number; all: number }>();
  for (const { task } of all) {
    if (task.parentId === null) continue;
    const counts = progress.get(task.parentId) ?? { done: 0, all: 0 };
    progress.set(task.parentId, {
      done: counts.done + (task.status === "done" ? 1 : 0),
      all: counts.all + 1,
    });
  }
  const width = lineWidth(session);
  const lines = shown.map(({ task, branch }) => {
    const children = progress.get(task.id);
    const share = children ? safe` (${children.done}/${children.all})` : safe``;
    const used = branch.length + "⊘ in progress ".length + task.id.length + 1 + share.length;
    const title = storedLine(task.title, Math.max(20, width - used));
    return safe`${paint("dim", storedText(branch))}${statusMark(paint, task.status)} ${storedText(task.id)} ${title}${paint("dim", share)}`;
  });
  return joinSafe(lines, "\n");
}
