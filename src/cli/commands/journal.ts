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
  type OptionSpec,
  type OptionValue,
  type Project,
  type Session,
  withProject,
} from "../shell/command.ts";

type Journals = ReturnType<typeof journalsOf>;

interface OpenJournal {
  readonly journals: Journals;
  readonly journal: ReturnType<Journals["named"]>;
}

const journalOptions: readonly OptionSpec[] = [
  { flags: "--change <name>", description: "the journal of this change" },
  { flags: "--task <id>", description: "the journal of this task's change" },
];

/**
 * Opens the project and runs `work` on a journal: that of `--change`, else of `--task`, else of the task that an agent is
 * working on, else of the next task.
 *
 * @throws RalphError `RALPH_TASK_UNKNOWN`
 */
async function withJournal(
  session: Session,
  { options }: Pick<Invocation, "options">,
  work: (open: OpenJournal) => Promise<void>,
): Promise<void> {
  return withProject(session, {}, async (project) => {
    const journals = journalsOf(project);
    const { change } = options;
    const journal =
      typeof change === "string" && change !== ""
        ? journals.named(change)
        : await journals.of(await chooseTask(session, project, options["task"]));
    await work({ journals, journal });
  });
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
  run: (session, invocation) =>
    withJournal(session, invocation, async ({ journals, journal }) => {
      if (!session.json) {
        session.out(safeText(journal.path));
        return;
      }
      const { change, path: file } = journal;
      session.out(safeJson({ change, path: file, bytes: journals.read(journal, 0)?.bytes ?? null }));
    }),
};

export const show: CommandSpec = {
  description: "Prints the journal, with secrets redacted; of a very long one, its end.",
  examples: ["ralph journal show", "ralph journal show --change add-login"],
  options: journalOptions,
  run: (session, invocation) =>
    withJournal(session, invocation, async ({ journals, journal }) => {
      const { change, path } = journal;
      const read = journals.read(journal);
      if (session.json) session.out(safeJson({ change, path, text: read?.text ?? null }));
      else if (read) session.out(safeText(read.text.trimEnd()));
      if (read && !read.isWhole)
        session.note(safe`only the end is shown: ${safeText(path)} has ${read.bytes} bytes`);
      if (read || session.json) return;
      session.note(safe`no journal yet: the next run creates ${safeText(path)}`);
    }),
};
