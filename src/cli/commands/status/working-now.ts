import { join } from "node:path";
import { formatDuration } from "../../../base/duration.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { readStep } from "../../../loop/rows/current-step.ts";
import { openIterations } from "../../../loop/rows/iteration-store.ts";
import type { Reader } from "../../../store/port/db.ts";
import type { TaskStatus } from "../../../tasks/graph/task.ts";
import { getTask } from "../../../tasks/graph/task-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { costText } from "../../../view/format.ts";

/** A running iteration (LOOP-23). */
export interface CurrentWork {
  readonly taskId: string;
  readonly title: string;
  readonly attempt: number;
  readonly model: string;
  readonly startedAt: string;
  /** The agent's last step; null: it reported none. */
  readonly step: string | null;
}

interface Shown {
  readonly root: string;
  readonly stepText: (step: string, root: string) => SafeText | Promise<SafeText>;
}

/** Returns the iterations of an active run, one for each slot that works. */
export async function workingNow(
  db: Reader,
  runId: string,
  { root, stepText }: Shown,
): Promise<readonly CurrentWork[]> {
  const open = (await openIterations(db)).filter((one) => one.runId === runId);
  const works: CurrentWork[] = [];
  for (const { iterationId, taskId, attempt, model, startedAt } of open) {
    const step = readStep(join(root, ".ralph"), iterationId);
    const title = (await getTask(db, taskId))?.title ?? "";
    const shown = step && (await stepText(step, root));
    works.push({ taskId, title, attempt, model, startedAt, step: shown });
  }
  return works;
}

interface ShownFacts {
  readonly tasks: Readonly<Record<TaskStatus | "total", number>>;
  readonly run: { readonly costUsd: number | null; readonly estimatedUsd: number } | null;
}

/** Returns the lines of the `at`-th running iteration; the first one has the cost of the run. */
export function workLines(
  { taskId, title, attempt, model, startedAt, step }: CurrentWork,
  { tasks: { done, failed, blocked, total }, run }: ShownFacts,
  at: number,
): readonly SafeText[] {
  const costUsd = at === 0 ? (run?.costUsd ?? null) : null;
  const elapsed = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt)));
  const cost = costUsd === null ? "" : safe` · ${costText(costUsd, 2, (run?.estimatedUsd ?? 0) > 0)}`;
  const number = Math.min(done + failed + blocked + at + 1, total);
  return [
    safe`now      ${number} of ${total} ${storedText(taskId)} ${clip(storedText(title), 100)} · attempt ${attempt} · ${storedText(model)} · ${elapsed}${cost}`,
    ...(step === null ? [] : [safe`step     ${storedText(step)}`]),
  ];
}
