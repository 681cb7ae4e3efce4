import { replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { count } from "../base/text.ts";
import type { RunTotals } from "../outcome/attempt-sums-store.ts";
import { firstErrorLine } from "../outcome/error-line.ts";
import type { Attempt } from "../outcome/outcome-store.ts";
import type { TaskLine, TaskStatus } from "../tasks/graph/task.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";
import { actionOn } from "./actions.ts";
import { attemptKey, type FoldedEvents } from "./fold-events.ts";
import { isEstimate, sumOf, usdPerVerified } from "./format.ts";
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

/** The rows that change only with an event. */
export interface SettledRows {
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly totals: RunTotals;
  /** The latest ones. */
  readonly attempts: readonly Attempt[];
  readonly titles: ReadonlyMap<string, string>;
  /** The last commit of each task. */
  readonly commits: ReadonlyMap<string, string>;
  readonly halted: readonly TaskLine[];
  /** By iteration. */
  readonly memories: ReadonlyMap<string, readonly MemoryRow[]>;
  readonly quarantined: number;
  readonly proposals: number;
}

/** The rows that change at any time. Times are ISO 8601. */
export interface LiveRows {
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
    readonly active: boolean;
  } | null;
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
}

/** The part of the model that changes only with an event, and what open attempts need of its rows. */
export interface Settled {
  readonly part: Pick<
    ViewModel,
    "tasks" | "attempts" | "moreAttempts" | "cost" | "waits" | "moreWaits" | "notices" | "models"
  >;
  readonly rows: SettledRows;
  readonly folded: FoldedEvents;
}

const maxWaits = 50;

/** Builds the part of the model that changes only with an event. Pure. */
export function settle(rows: SettledRows, folded: FoldedEvents): Settled {
  const { counts, totals, attempts } = rows;
  const waits = waitsOf(rows);
  const part = {
    tasks: { ...counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) },
    attempts: attempts.map((one) => attemptLine(one, rows, folded)),
    moreAttempts: totals.attempts - attempts.length,
    cost: {
      usd: totals.costUsd,
      estimated: totals.byModel.some((model) => model.estimatedUsd > 0),
      budgetUsd: folded.budgetUsd,
      perTaskUsd: usdPerVerified(sumOf(totals.byModel)),
    },
    waits: waits.slice(0, maxWaits),
    moreWaits: Math.max(0, waits.length - maxWaits),
    notices: folded.notices,
    models: totals.byModel.map((row) => ({
      ...{ ...row, model: storedLine(row.model, 80), perTaskUsd: usdPerVerified(row) },
    })),
  };
  return { part, rows, folded };
}

/** Builds the model that every view draws. Pure: the same input gives the same model. */
export function buildModel(live: LiveRows, settled: Settled, whole: WholeModel | null = null): ViewModel {
  const { run, now, limits } = live;
  const state = stateOf(run);
  const end = run?.endedAt ? Date.parse(run.endedAt) : now.getTime();
  const isOver = state === "killed" || state === "ended";
  return {
    ...settled.part,
    project: storedLine(live.project, 80),
    now: now.toISOString(),
    run: {
      id: storedText(run?.id ?? ""),
      state,
      reason: storedLine(run?.stopReason ?? "", 100),
      startedAt: run?.startedAt ?? null,
      elapsedMs: run ? Math.max(0, end - Date.parse(run.startedAt)) : 0,
      branch: settled.folded.branch,
    },
    limits: limits.map(({ agent, kind, until }) => ({
      ...{ agent: storedLine(agent, 80), kind: storedLine(kind.replaceAll("_", " "), 40), until },
    })),
    waits: [...(state === "killed" && run ? [killed(run.id)] : []), ...settled.part.waits],
    slots: isOver ? [] : live.open.map((one) => slotOf(one, now, settled)),
    doing: isOver ? safe`` : settled.folded.doing,
    actions: runActions(state),
    whole,
  };
}

function stateOf(run: LiveRows["run"]): RunState {
  if (run === null) return "none";
  if (run.endedAt !== null) return "ended";
  if (!run.active) return "killed";
  if (run.control === "stop" || run.control === "stop-now") return "stopping";
  if (run.pausedAt !== null) return "paused";
  return run.control === "pause" ? "pausing" : "running";
}

function runActions(state: RunState): readonly Action[] {
  const isPaused = state === "paused" || state === "pausing";
  const control = isPaused ? (["resume", "stop"] as const) : (["pause", "stop"] as const);
  const names = isPaused || state === "running" ? control : [];
  return [...names, "message" as const].map((name) => actionOn(name));
}

/** A task whose cause lies in another one is opened again with that one. */
const followsOthers: ReadonlySet<string | null> = new Set(["dependency", "child"]);

function typed(id: SafeText, why: SafeText, command: SafeText): Waiting {
  return { id, title: safe``, why, command, action: null };
}

function killed(runId: string): Waiting {
  const why = safe`the run was killed; its task is recovered by the next one`;
  return typed(storedText(runId), why, safe`ralph run`);
}

function waitsOf({ halted, quarantined, proposals }: SettledRows): readonly Waiting[] {
  const tasks = halted
    .filter(({ blockCause }) => !followsOthers.has(blockCause))
    .map(({ id, title, statusReason, status }) => {
      const action = actionOn("retry", storedText(id));
      const why = replaceSafe(storedLine(statusReason ?? status, 300), /^needs a person: /, () => safe``);
      return { id: storedText(id), title: storedLine(title, 200), why, command: action.command, action };
    });
  const learnings = safe`${count(quarantined, "learning")} in quarantine`;
  const skills = safe`${count(proposals, "proposal")} to decide on`;
  return [
    ...tasks,
    ...(quarantined > 0
      ? [typed(safe`memory`, learnings, safe`ralph memory list --status quarantined`)]
      : []),
    ...(proposals > 0 ? [typed(safe`skills`, skills, safe`ralph skills list`)] : []),
  ];
}

function memoriesOf({ memories }: SettledRows, iterationId: string | null): readonly ShownMemory[] {
  return (memories.get(iterationId ?? "") ?? []).map(({ id, text, shown, passed, verdict }) => ({
    ...{ id: storedText(id), text: storedLine(text, 300), shown, passed, verdict },
  }));
}

function slotOf(one: LiveRows["open"][number], now: Date, { rows, folded }: Settled): OpenSlot {
  return {
    taskId: storedText(one.taskId),
    title: storedLine(rows.titles.get(one.taskId) ?? "", 200),
    attempt: one.attempt,
    ...(folded.begun.get(one.taskId) ?? { maxAttempts: 0, failuresShown: 0 }),
    model: storedLine(one.model, 80),
    why: storedLine(one.rationale, 200),
    elapsedMs: Math.max(0, now.getTime() - Date.parse(one.startedAt)),
    step: one.step,
    memories: memoriesOf(rows, one.iterationId),
  };
}

function attemptLine(one: Attempt, rows: SettledRows, folded: FoldedEvents): AttemptLine {
  const facts = folded.attempts.get(attemptKey(one.taskId, one.attempt));
  const error = storedText(one.verificationOutput ?? "");
  const done = one.outcome === "done";
  const commit = done ? rows.commits.get(one.taskId) : undefined;
  const verification = one.verification ? `, verification: ${one.verification.replace("_", " ")}` : "";
  return {
    taskId: storedText(one.taskId),
    title: storedLine(rows.titles.get(one.taskId) ?? "", 200),
    attempt: one.attempt,
    at: one.startedAt,
    model: storedLine(one.model, 80),
    done,
    outcome: storedText(`${one.outcome}${verification}`),
    reason: storedLine(one.reason ?? "", 400),
    category: facts?.category || storedText(one.errorType ?? ""),
    headline: storedLine(firstErrorLine(error) ?? error.trim().split("\n", 1)[0] ?? "", 300),
    error,
    files: facts?.files ?? [],
    hint: facts?.hint ?? safe``,
    durationMs: one.durationMs,
    costUsd: one.costUsd,
    estimated: isEstimate(one.costSource),
    commit: commit === undefined ? null : storedText(commit.slice(0, 9)),
    memories: memoriesOf(rows, one.iterationId),
  };
}
