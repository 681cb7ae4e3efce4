import { present } from "../../../base/json.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { attemptCounts } from "../../../outcome/outcome-store.ts";
import { type TaskLine, taskStatuses } from "../../../tasks/graph/task.ts";
import { countTasks, requireTask, type TaskFilter } from "../../../tasks/graph/task-store.ts";
import { type ListedTask, listedJson, listedTasks } from "../../../tasks/listed-tasks.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { wrap } from "../../../ui/render-report.ts";
import { type CommandSpec, type Invocation, type Session, withProject } from "../../shell/command.ts";
import { optionalText, textOption } from "../../shell/io.ts";
import { lengthOptions, lineLimit, lineWidth, painterOf, priorityName, statusMark } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task list` (IF-3). */
export const command: CommandSpec = {
  description:
    "Lists tasks in the order in which they run (priority, then age), finished ones last. Prints at most 100 lines on a terminal. With --json, prints all tasks in running order.",
  examples: ["ralph task list --status blocked", "ralph task list --limit 20", "ralph task list --json"],
  options: [
    {
      flags: "--status <status>",
      description: `only tasks with this status: ${taskStatuses.join(", ")}`,
      choices: taskStatuses,
    },
    { flags: "--tag <tag>", description: "only tasks with this tag" },
    { flags: "--parent <id>", description: "only children of this task" },
    ...lengthOptions,
  ],
  run: async (session, { options }) => {
    const filter = readFilter(options);
    const limit = lineLimit(session, options);
    return withProject(session, {}, async ({ db }) => {
      if (filter.parentId !== undefined) await requireTask(db, filter.parentId);
      const rows = await listedTasks(db, filter, await attemptCounts(db));
      if (session.json) {
        session.out(storedJson(rows.map(listedJson)));
        return;
      }
      const isDone = ({ task }: ListedTask): boolean => task.status === "done";
      const shown = [...rows.filter((row) => !isDone(row)), ...rows.filter(isDone)].slice(0, limit);
      if (rows.length > 0) session.out(table(session, shown));
      const left = rows.length - shown.length;
      if (left > 0) session.out(safe`… and ${left} more (use --all, --limit or --status)`);
      const chosen = filterText(filter);
      if (rows.length === 0 && chosen !== "" && Object.values(await countTasks(db)).some((n) => n > 0)) {
        session.out(safe`no tasks with ${chosen}`);
        session.note("hint: run `ralph task list` to see all tasks");
        return;
      }
      session.out(total(rows));
      session.note(safe`hint: ${await nextStep(db, { afterList: true })}`);
    });
  },
};

function readFilter(options: Invocation["options"]): TaskFilter {
  return present({
    status: taskStatuses.find((known) => known === textOption(options["status"]).replace("-", "_")),
    tag: optionalText(options["tag"]),
    parentId: optionalText(options["parent"]),
  });
}

function filterText({ status, tag, parentId }: TaskFilter): SafeText {
  const parts = [
    ...(status === undefined ? [] : [safe`--status ${storedText(status)}`]),
    ...(tag === undefined ? [] : [safe`--tag "${storedLine(tag, 80)}"`]),
    ...(parentId === undefined ? [] : [safe`--parent ${storedText(parentId)}`]),
  ];
  return joinSafe(parts, ", ");
}

const statusWidth = Math.max(...taskStatuses.map((status) => statusMark((_, text) => text, status).length));

function table(session: Session, rows: readonly ListedTask[]): SafeText {
  const paint = painterOf(session);
  const idWidth = rows.reduce((width, { task }) => Math.max(width, task.id.length), 2);
  const priorityWidth = rows.reduce(
    (width, { task }) => Math.max(width, priorityName(task.priority).length),
    8,
  );
  const head = [
    safe`STATUS`.padEnd(statusWidth),
    safe`ID`.padEnd(idWidth),
    safe`PRIORITY`.padEnd(priorityWidth),
    safe`TRIES`,
    safe`TITLE`,
  ];
  const left = statusWidth + idWidth + priorityWidth + "TRIES".length + 4 * 2;
  const room = Math.max(20, lineWidth(session) - left);
  const lines = rows.map(({ task, waitsFor, attempts }) => {
    const cells = [
      statusMark(paint, task.status, statusWidth),
      storedText(task.id).padEnd(idWidth),
      storedText(priorityName(task.priority)).padEnd(priorityWidth),
      safe`${attempts || ""}`.padStart("TRIES".length),
      storedLine(task.title, room),
    ];
    const why = storedLine(waitReason(task, waitsFor), 2000);
    const row = joinSafe(cells, "  ").trimEnd();
    if (why === "") return row;
    const whole = safe`${row} — ${why}`;
    // Whoever reads it with a program finds a task in one line.
    if (!Number.isFinite(room)) return whole;
    const fits = task.title.length + why.length + 3 <= room;
    const margin = safe``.padEnd(left);
    return fits ? whole : joinSafe([row, ...wrap(why, room, 4).map((line) => safe`${margin}${line}`)], "\n");
  });
  return joinSafe([paint("dim", joinSafe(head, "  ")), ...lines], "\n");
}

/** Returns why the task is not ready. */
function waitReason(task: TaskLine, waitsFor: readonly string[]): string {
  if (task.status === "blocked" || task.status === "failed")
    return task.statusReason ?? task.blockCause ?? "";
  return task.status === "pending" && waitsFor.length > 0 ? `waits for ${waitsFor.join(", ")}` : "";
}

function total(rows: readonly ListedTask[]): SafeText {
  if (rows.length === 0) return safe`no tasks`;
  const parts = taskStatuses.flatMap((status) => {
    const n = rows.filter(({ task }) => task.status === status).length;
    return n === 0 ? [] : [safe`${n} ${storedText(status.replace("_", " "))}`];
  });
  return safe`${count(rows.length, "task")}: ${joinSafe(parts, ", ")}`;
}
