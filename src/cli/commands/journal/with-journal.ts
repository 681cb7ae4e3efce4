import { RalphError } from "../../../base/errors.ts";
import { openIterations } from "../../../loop/rows/iteration-store.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { getTask, requireTask } from "../../../tasks/graph/task-store.ts";
import { journalsOf } from "../../project/memory-of.ts";
import {
  type Invocation,
  type OptionSpec,
  type OptionValue,
  type Project,
  type Session,
  withProject,
} from "../../shell/command.ts";
import { isApproved } from "../../trust/approval.ts";

type Journals = ReturnType<typeof journalsOf>;

/** The journal that a command acts on. */
interface OpenJournal {
  readonly journals: Journals;
  readonly journal: ReturnType<Journals["named"]>;
}

export const journalOptions: readonly OptionSpec[] = [
  { flags: "--change <name>", description: "the journal of this change" },
  { flags: "--task <id>", description: "the journal of this task's change" },
];

/**
 * Opens the project and runs `work` on a journal: that of `--change`, else of `--task`, else of the task that an agent is
 * working on, else of the next task.
 *
 * @throws RalphError `RALPH_TASK_UNKNOWN`; `RALPH_TRUST_NOT_APPROVED` for `writes` in a folder that the project's own file
 * names and nobody approved
 */
export async function withJournal(
  session: Session,
  { options }: Pick<Invocation, "options">,
  wanted: { readonly writes: boolean },
  work: (open: OpenJournal) => Promise<void>,
): Promise<void> {
  return withProject(session, {}, async (project) => {
    if (wanted.writes && !isApproved(project, "journal.dir")) {
      throw new RalphError("RALPH_TRUST_NOT_APPROVED", "journal.dir of this project is not approved", {
        hint: "review with `ralph trust show`, then run `ralph trust approve`",
      });
    }
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
