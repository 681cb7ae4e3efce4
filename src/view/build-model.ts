import { type SafeText, safe } from "../base/safe-text.ts";
import { count } from "../base/text.ts";
import type { RunTotals } from "../outcome/attempt-sums-store.ts";
import type { Attempt } from "../outcome/outcome-store.ts";
import type { TaskLine, TaskStatus } from "../tasks/graph/task.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";
import { actionOn } from "./actions.ts";
import { sumOf, usdPerVerified } from "./cost.ts";
import { attemptKey, type FoldedEvents } from "./fold-events.ts";
import type {
  Action,
  AttemptLine,
  OpenSlot,
  RunState,
  ShownMemory,
  ViewModel,
  Waiting,
  WholeModel,
} from "./model.ts";

/** A learning that a prompt showed, as its row says. */
type MemoryRow = Omit<ShownMemory, "id" | "text"> & { readonly id: string; readonly text: string };

/** The rows that a view is built from. Times are ISO 8601. */
export interface ViewRows {
  readonly project: string;
  readonly now: Date;
  /** Null: nothing ran yet. */
  readonly run: {
    readonly id: string;
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly stopReason: string | null;
    /** A person's control request; null: none. */
    readonly control: string | null;
    readonly pausedAt: string | null;
    /** Its process is alive. */
    readonly active: boolean;
  } | null;
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly totals: RunTotals;
  readonly attempts: readonly Attempt[];
  readonly titles: ReadonlyMap<string, string>;
  /** The last commit of each task. */
  readonly commits: ReadonlyMap<string, string>;
  readonly halted: readonly TaskLine[];
  readonly limits: readonly { readonly agent: string; readonly kind: string; readonly until: string }[];
  readonly open: readonly {
    readonly iterationId: string;
    readonly taskId: string;
    readonly attempt: number;
    readonly model: string;
    readonly rationale: string;
    readonly startedAt: string;
    readonly step: SafeText | null;
  }[];
  /** By iteration. */
  readonly memories: ReadonlyMap<string, readonly MemoryRow[]>;
  readonly quarantined: number;
  readonly proposals: number;
}

const maxAttempts = 200;
const maxWaits = 50;

/** Builds the model that every view draws from rows and folded events. Pure: the same input gives the same model. */
export function buildModel(rows: ViewRows, folded: FoldedEvents, whole: WholeModel | null = null): ViewModel {
  const { run, counts, totals, now } = rows;
  const state = stateOf(run);
  const waits = waitsOf(rows, state);
  const estimated = totals.byModel.some((model) => model.estimatedUsd > 0);
  const end = run?.endedAt ? Date.parse(run.endedAt) : now.getTime();
  return {
    project: storedLine(rows.project, 80),
    now: now.toISOString(),
    run: {
      id: storedText(run?.id ?? ""),
      state,
      reason: storedLine(run?.stopReason ?? "", 100),
      startedAt: run?.startedAt ?? null,
      elapsedMs: run ? Math.max(0, end - Date.parse(run.startedAt)) : 0,
      branch: folded.branch,
    },
    tasks: { ...counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) },
    attempts: rows.attempts.slice(-maxAttempts).map((one) => attemptLine(one, rows, folded)),
    moreAttempts: Math.max(0, rows.attempts.length - maxAttempts),
    cost: {
      usd: totals.costUsd,
      estimated,
      budgetUsd: folded.budgetUsd,
      perTaskUsd: usdPerVerified(sumOf(totals.byModel)),
    },
    limits: rows.limits.map(({ agent, kind, until }) => ({
      ...{ agent: storedLine(agent, 80), kind: storedLine(kind.replaceAll("_", " "), 40), until },
    })),
    waits: waits.slice(0, maxWaits),
    moreWaits: Math.max(0, waits.length - maxWaits),
    slots: state === "killed" || state === "ended" ? [] : rows.open.map((one) => slotOf(one, rows, folded)),
    notices: folded.notices,
    models: totals.byModel.map((row) => ({
      ...{ ...row, model: storedLine(row.model, 80), perTaskUsd: usdPerVerified(row) },
    })),
    actions: runActions(state),
    whole,
  };
}

function stateOf(run: ViewRows["run"]): RunState {
  if (run === null) return "none";
  if (run.endedAt !== null) return "ended";
  if (!run.active) return "killed";
  if (run.control === "stop" || run.control === "stop-now") return "stopping";
  if (run.pausedAt !== null) return "paused";
  return run.control === "pause" ? "pausing" : "running";
}

function runActions(state: RunState): readonly Action[] {
  if (state === "running") return [actionOn("pause"), actionOn("stop"), actionOn("message")];
  if (state === "paused" || state === "pausing")
    return [actionOn("resume"), actionOn("stop"), actionOn("message")];
  return [actionOn("message")];
}

/** A task whose cause lies in another one is opened again with that one. */
const followsOthers: ReadonlySet<string | null> = new Set(["dependency", "child"]);

function waitsOf({ halted, quarantined, proposals, run }: ViewRows, state: RunState): readonly Waiting[] {
  const typed = (id: SafeText, why: SafeText, command: SafeText): Waiting => ({
    ...{ id, title: safe``, why, command, action: null },
  });
  const tasks = halted
    .filter(({ blockCause }) => !followsOthers.has(blockCause))
    .map(({ id, title, statusReason, status }) => {
      const action = actionOn("retry", storedText(id));
      const why = storedLine(statusReason ?? status, 300);
      return { id: storedText(id), title: storedLine(title, 200), why, command: action.command, action };
    });
  return [
    ...(state === "killed" && run
      ? [
          typed(
            storedText(run.id),
            safe`the run was killed; its task is recovered by the next one`,
            safe`ralph run`,
          ),
        ]
      : []),
    ...tasks,
    ...(quarantined > 0
      ? [
          typed(
            safe`memory`,
            safe`${count(quarantined, "learning")} in quarantine`,
            safe`ralph memory list --status quarantined`,
          ),
        ]
      : []),
    ...(proposals > 0
      ? [typed(safe`skills`, safe`${count(proposals, "proposal")} to decide on`, safe`ralph skills list`)]
      : []),
  ];
}

function memoriesOf({ memories }: ViewRows, iterationId: string | null): readonly ShownMemory[] {
  return (memories.get(iterationId ?? "") ?? []).map(({ id, text, shown, passed, verdict }) => ({
    ...{ id: storedText(id), text: storedLine(text, 300), shown, passed, verdict },
  }));
}

function slotOf(one: ViewRows["open"][number], rows: ViewRows, folded: FoldedEvents): OpenSlot {
  return {
    taskId: storedText(one.taskId),
    title: storedLine(rows.titles.get(one.taskId) ?? "", 200),
    attempt: one.attempt,
    maxAttempts: folded.maxAttempts.get(one.taskId) ?? 0,
    model: storedLine(one.model, 80),
    why: storedLine(one.rationale, 200),
    elapsedMs: Math.max(0, rows.now.getTime() - Date.parse(one.startedAt)),
    step: one.step,
    memories: memoriesOf(rows, one.iterationId),
  };
}

function attemptLine(one: Attempt, rows: ViewRows, folded: FoldedEvents): AttemptLine {
  const facts = folded.attempts.get(attemptKey(one.taskId, one.attempt));
  const error = storedText(one.verificationOutput ?? "");
  const done = one.outcome === "done";
  const first = error.split("\n").find((line) => line.trim() !== "") ?? safe``;
  const commit = done ? rows.commits.get(one.taskId) : undefined;
  return {
    taskId: storedText(one.taskId),
    title: storedLine(rows.titles.get(one.taskId) ?? "", 200),
    attempt: one.attempt,
    at: one.startedAt,
    model: storedLine(one.model, 80),
    done,
    outcome: storedText(
      one.verification ? `${one.outcome}, verification: ${one.verification.replace("_", " ")}` : one.outcome,
    ),
    reason: storedLine(one.reason ?? "", 400),
    category: facts?.category || storedText(one.errorType ?? ""),
    headline: facts?.headline || storedLine(first, 300),
    error,
    files: facts?.files ?? [],
    hint: facts?.hint ?? safe``,
    durationMs: one.durationMs,
    costUsd: one.costUsd,
    estimated: one.costSource !== null && one.costSource !== "measured",
    commit: commit === undefined ? null : storedText(commit.slice(0, 9)),
    memories: memoriesOf(rows, one.iterationId),
  };
}
