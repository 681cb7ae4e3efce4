import { basename, join } from "node:path";
import { limitsOfPauses } from "../../agents/agent-limits.ts";
import type { Clock } from "../../base/clock.ts";
import { eventsAfter, lastEventNumber } from "../../events/event-store.ts";
import { toLogEvent } from "../../events/log-line.ts";
import { readStep } from "../../loop/rows/current-step.ts";
import { openIterations } from "../../loop/rows/iteration-store.ts";
import { runIsAlive } from "../../loop/rows/live-runs.ts";
import { commitsOfRun } from "../../loop/rows/pending-commit-store.ts";
import { latestRun, type RunRow, runById } from "../../loop/rows/run-store.ts";
import { countQuarantined, learningsShownInRun } from "../../memory/learning-actions.ts";
import { waitingProposals } from "../../memory/skill-actions.ts";
import { type RunTotals, runTotals } from "../../outcome/attempt-sums-store.ts";
import { latestPauses } from "../../outcome/interruption-store.ts";
import { attemptsOfRun } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { countTasks, listTaskLines, titlesOf } from "../../tasks/graph/task-store.ts";
import { stepText } from "../../ui/step-text.ts";
import { buildModel, type Settled, type SettledRows, settle } from "../../view/build-model.ts";
import { emptyFold, type FoldedEvents, foldEvent } from "../../view/fold-events.ts";
import type { ViewModel, WholeModel } from "../../view/model.ts";
import type { Project, Session } from "../shell/command.ts";

/** Reads a run's model again and again: what did not change since the last time is not read again. */
export interface View {
  read(): Promise<ViewModel>;
}

interface ReaderOptions {
  /** Null: the latest run, also one that begins later. */
  readonly runId: string | null;
  readonly whole?: () => Promise<WholeModel>;
}

const maxAttempts = 200;
/** The rest between two reads of the whole model, in times of a read: at most 5% of a processor. */
const wholeRest = 20;

const noTotals: RunTotals = {
  attempts: 0,
  done: 0,
  costUsd: null,
  durationMs: 0,
  interruptions: 0,
  byModel: [],
};

export function openView(
  { clock }: Pick<Session, "clock">,
  { db, root }: Pick<Project, "db" | "root">,
  { runId, whole }: ReaderOptions,
): View {
  let folded = emptyFold("");
  let folds = 0;
  let settled: { readonly key: string; readonly value: Settled } | undefined;
  const wholeAt = whole ? seldom(whole, clock) : async () => null;
  return {
    read: async () => {
      const now = clock.now();
      const run = runId === null ? await latestRun(db) : await runById(db, runId);
      const last = await lastEventNumber(db);
      if (folded.runId !== (run?.id ?? "")) [folded, folds] = [emptyFold(run?.id ?? ""), 0];
      [folded, folds] = await foldNew(db, folded, folds, last);
      const open = (await openIterations(db)).filter((one) => one.runId === run?.id);
      // Every change is an event, of its cost too.
      const key = `${run?.id} ${last}`;
      if (settled?.key !== key) settled = { key, value: settle(await readSettled(db, run, open), folded) };
      const limits = limitsOfPauses(await latestPauses(db, now.toISOString()), now);
      const live = {
        ...{ project: basename(root), now },
        run: run ? { ...run, active: run.endedAt === null && runIsAlive(run) } : null,
        limits: limits.map((limit) => ({ ...limit, until: new Date(limit.until).toISOString() })),
        open: open.map((one) => {
          const step = readStep(join(root, ".ralph"), one.iterationId);
          return { ...one, step: step === null ? null : stepText(step, root) };
        }),
      };
      return buildModel(live, settled.value, await wholeAt(key));
    },
  };
}

/** Reads again for another key, but not before it rested for some time. */
function seldom(read: () => Promise<WholeModel>, clock: Clock): (key: string) => Promise<WholeModel> {
  let last: { readonly key: string; readonly value: WholeModel; readonly until: number } | undefined;
  return async (key) => {
    const from = clock.monotonic();
    if (!last || (last.key !== key && from >= last.until)) {
      const value = await read();
      last = { key, value, until: from + wholeRest * (clock.monotonic() - from) };
    }
    return last.value;
  };
}

async function foldNew(
  db: Reader,
  before: FoldedEvents,
  from: number,
  last: number,
): Promise<[folded: FoldedEvents, seq: number]> {
  let [folded, seq] = [before, from];
  while (seq < last) {
    const rows = await eventsAfter(db, seq);
    if (rows.length === 0) return [folded, last];
    for (const row of rows) if (row.runId === folded.runId) folded = foldEvent(folded, toLogEvent(row));
    seq = rows.at(-1)?.seq ?? last;
  }
  return [folded, seq];
}

async function readSettled(
  db: Reader,
  run: RunRow | undefined,
  open: readonly { readonly taskId: string }[],
): Promise<SettledRows> {
  const attempts = run ? await attemptsOfRun(db, run.id, maxAttempts) : [];
  const commits = run ? await commitsOfRun(db, run.id) : [];
  const ids = [...attempts, ...open].map(({ taskId }) => taskId);
  return {
    counts: await countTasks(db),
    totals: run ? await runTotals(db, run.id) : noTotals,
    attempts,
    titles: await titlesOf(db, ids),
    commits: new Map(commits.map(({ taskId, hash }) => [taskId, hash])),
    halted: [
      ...(await listTaskLines(db, { status: "blocked" })),
      ...(await listTaskLines(db, { status: "failed" })),
    ],
    memories: run ? await learningsShownInRun(db, run.id) : new Map(),
    quarantined: await countQuarantined(db),
    proposals: await waitingProposals(db),
  };
}
