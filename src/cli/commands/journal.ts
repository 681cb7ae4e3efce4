import { safe } from "../../base/safe-text.ts";
import { openIterations } from "../../loop/rows/iteration-store.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask, requireTask } from "../../tasks/graph/task-store.ts";
import { safeJson, safeText } from "../../trust/safe-text.ts";
import { journalsOf } from "../project/memory-of.ts";
import {
  type CommandSpec,
  type Invocation,
  inProject,
  type OptionSpec,
  type OptionValue,
  type Project,
  type Session,
} from "../shell/command.ts";

const journalOptions: readonly OptionSpec[] = [
  { flags: "--change <name>", description: "the journal of this change" },
  { flags: "--task <id>", description: "the journal of this task's change" },
];

/** Returns the journal of `--change`, else of `--task`, else of the task that an agent is working on, else of the next task. */
async function journalOf(session: Session, project: Project, { change, task }: Invocation["options"]) {
  const journals = journalsOf(project);
  const isNamed = typeof change === "string" && change !== "";
  const of = isNamed ? journals.named(change) : await journals.of(await chooseTask(session, project, task));
  return { ...of, read: (max?: number) => journals.read(of, max) };
}

async function chooseTask({ iteration }: Session, { db }: Project, named: OptionValue): Promise<Task | null> {
  if (typeof named === "string") return requireTask(db, named);
  const taskId = iteration?.taskId ?? (await openIterations(db)).at(-1)?.taskId;
  const task = taskId === undefined ? undefined : await getTask(db, taskId);
  return task ?? (await nextTask(db)) ?? null;
}

export const path: CommandSpec = {
  description:
    "Prints the path of the journal that the agents of a change write. It is the journal of the OpenSpec change of the current or next task; without OpenSpec, there is one journal for all tasks.",
  examples: ["ralph journal path", "ralph journal path --change add-login"],
  options: journalOptions,
  run: inProject(async (session, project, { options }) => {
    const { change, path: file, read } = await journalOf(session, project, options);
    if (!session.json) session.out(safeText(file));
    else session.out(safeJson({ change, path: file, bytes: read(0)?.bytes ?? null }));
  }),
};

export const show: CommandSpec = {
  description: "Prints the journal, with secrets redacted; of a very long one, its end.",
  examples: ["ralph journal show", "ralph journal show --change add-login"],
  options: journalOptions,
  run: inProject(async (session, project, { options }) => {
    const { change, path, read: readAll } = await journalOf(session, project, options);
    const read = readAll();
    if (session.json) session.out(safeJson({ change, path, text: read?.text ?? null }));
    else if (read) session.out(safeText(read.text.trimEnd()));
    if (read && !read.isWhole)
      session.note(safe`only the end is shown: ${safeText(path)} has ${read.bytes} bytes`);
    if (read || session.json) return;
    session.note(safe`no journal yet: the next run creates ${safeText(path)}`);
  }),
};
