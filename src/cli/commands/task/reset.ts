import { RalphError } from "../../../base/errors.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import type { Db, Reader } from "../../../store/port/db.ts";
import { setTaskValue } from "../../../strategy/strategy-store.ts";
import { resetMetrics } from "../../../strategy/task-metrics.ts";
import { isInProgress } from "../../../tasks/claim-outcome.ts";
import { blockingList, type Task } from "../../../tasks/graph/task.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { resetTask, retryTask } from "../../../tasks/graph/task-transitions.ts";
import { untickSources } from "../../../tasks/tick-sources.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { isOwnerAlive } from "../../project/task-actions-of.ts";
import { type CommandSpec, type OptionValue, type Session, withProject } from "../../shell/command.ts";
import { textOptions, usageError } from "../../shell/io.ts";
import { alsoText, shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { noteTicks } from "./note-ticks.ts";

/** `ralph task reset`. */
export const command: CommandSpec = {
  description: "Reopens a task as `ralph task retry` does, and leaves it in its place.",
  examples: ["ralph task reset t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) => {
    return reopenTasks(session, textOptions(args["ids"]), { verb: safe`reset`, reopen: resetTask });
  },
};

interface Reopening {
  readonly verb: SafeText;
  readonly reopen: typeof resetTask;
}

interface Reopened {
  readonly task: Task;
  readonly reopened: readonly Task[];
  /** The file whose entry blocks the task; null: none. */
  readonly list: string | null;
}

/** Reopens tasks with their metrics and memory, and unticks them in their files. */
async function reopenTasks(session: Session, ids: readonly string[], how: Reopening): Promise<void> {
  return withProject(session, {}, async ({ db, root }) => {
    const hints: SafeText[] = [];
    for (const id of ids) {
      const result = await reopenOne(db, id, { reopen: how.reopen, now: session.clock.now() });
      report(session, how.verb, result);
      const { paths, warnings } = await untickSources(root, [result.task, ...result.reopened]);
      await noteTicks(session, root, { verb: "unticked", paths });
      for (const warning of warnings) session.note(safe`warning: ${storedLine(warning, 500)}`);
      // The next step of a task that the next run blocks again is not that run.
      if (result.list !== null)
        hints.push(
          safe`${storedLine(result.list, 200)} blocks ${storedText(id)}: change its entry there, then run \`ralph run\``,
        );
    }
    for (const hint of hints.length > 0 ? hints : [await nextStep(db)]) session.note(safe`hint: ${hint}`);
  });
}

async function reopenOne(
  db: Db,
  id: string,
  { reopen, now }: Pick<Reopening, "reopen"> & { readonly now: Date },
): Promise<Reopened> {
  return db.transaction(async (tx) => {
    const list = blockingList(await requireTask(tx, id));
    await refuseWhileInProgress(tx, id);
    await resetMetrics(tx, id);
    return { ...(await reopen(tx, id, now, await lastAttempt(tx, id))), list };
  });
}

function report(session: Session, verb: SafeText, { task, reopened }: Reopened): void {
  if (session.json) {
    session.out(storedJson({ task: shownTask(task), reopened: reopened.map(shownTask) }));
  } else {
    const along = alsoText(safe`also reopened`, reopened);
    const blocked =
      task.status === "blocked" ? safe`; still blocked: ${storedLine(task.statusReason ?? "", 120)}` : safe``;
    session.out(safe`${verb} ${taskLabel(task)}${along}${blocked}`);
  }
}

async function refuseWhileInProgress(q: Reader, id: string): Promise<void> {
  if (!(await isInProgress(q, id, { isAlive: isOwnerAlive }))) return;
  throw new RalphError("RALPH_TASK_IN_PROGRESS", `a run is working on ${id}`, {
    hint: "stop the run first: run `ralph stop`",
  });
}

/** `ralph task retry` (TASK-10). */
export const retry: CommandSpec = {
  description:
    "Makes a done, blocked or failed task pending again with a fresh attempt count, before all other tasks, unticks it in its source file, and reopens tasks that were blocked only by it. Keeps its history. Of several tasks, the first one runs first.",
  examples: ["ralph task retry t-3fa9c1", "ralph task retry 7.2 --value 5"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  options: [
    { flags: "--value <dollars>", description: "what each finished task is worth, in place of taskValueUsd" },
  ],
  run: async (session, { args, options }) => {
    const ids = textOptions(args["ids"]).toReversed();
    const valueUsd = dollarsOf(options["value"]);
    const reopen: typeof retryTask = async (tx, id, ...rest) => {
      const reopened = await retryTask(tx, id, ...rest);
      if (valueUsd !== null) await setTaskValue(tx, id, valueUsd);
      return reopened;
    };
    return reopenTasks(session, ids, { verb: safe`first now:`, reopen });
  },
};

function dollarsOf(text: OptionValue): number | null {
  if (text === undefined) return null;
  const usd = Number(text);
  if (typeof text === "string" && /^\d*\.?\d+$/.test(text) && usd > 0) return usd;
  throw usageError(
    `invalid --value ${JSON.stringify(text)}: expected an amount above 0`,
    "state dollars, such as --value 5",
  );
}
