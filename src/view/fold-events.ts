import { type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf } from "../events/run-events.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";

/** The facts of an attempt that only its event has. */
interface AttemptFacts {
  readonly headline: SafeText;
  readonly files: readonly SafeText[];
  readonly category: SafeText;
  readonly hint: SafeText;
}

/** The facts of one run that only its events have. */
export interface FoldedEvents {
  readonly runId: string;
  readonly branch: SafeText;
  readonly budgetUsd: number | null;
  /** By task; 0: no limit. */
  readonly maxAttempts: ReadonlyMap<string, number>;
  /** By `task attempt`. */
  readonly attempts: ReadonlyMap<string, AttemptFacts>;
  /** The last warnings, newest first. */
  readonly notices: readonly SafeText[];
}

export function emptyFold(runId: string): FoldedEvents {
  return { runId, branch: safe``, budgetUsd: null, maxAttempts: new Map(), attempts: new Map(), notices: [] };
}

export function attemptKey(taskId: string, attempt: number): string {
  return `${taskId} ${attempt}`;
}

const maxNotices = 5;

/** Adds an event. Events of other runs, and those that no view shows, change nothing. */
export function foldEvent(state: FoldedEvents, event: RalphEvent): FoldedEvents {
  if (event.jobId !== state.runId) return state;
  const notice = noticeOf(event);
  if (notice !== null) return { ...state, notices: [notice, ...state.notices].slice(0, maxNotices) };
  const run = fieldsOf(event, "run.started");
  if (run) return { ...state, branch: storedLine(run.branch ?? "", 200), budgetUsd: run.budgetUsd ?? null };
  const started = fieldsOf(event, "iteration.started");
  if (started) {
    return { ...state, maxAttempts: new Map(state.maxAttempts).set(started.taskId, started.maxAttempts) };
  }
  const it = fieldsOf(event, "iteration.finished");
  if (!it) return state;
  const facts = {
    headline: storedLine(it.errorHeadline, 300),
    files: it.files.slice(0, 50).map((file) => storedLine(file, 300)),
    category: storedLine(it.category ?? "", 60),
    hint: storedText(it.hint ?? ""),
  };
  return { ...state, attempts: new Map(state.attempts).set(attemptKey(it.taskId, it.attempt), facts) };
}

function noticeOf(event: RalphEvent): SafeText | null {
  const baseline = fieldsOf(event, "baseline.finished");
  if (baseline)
    return baseline.passed
      ? null
      : safe`verification fails without any attempt: ${storedLine(baseline.reason ?? "", 200)}`;
  const memory = fieldsOf(event, "memory.failed");
  if (memory) return safe`memory error in ${storedLine(memory.kind, 40)}: ${storedLine(memory.error, 200)}`;
  const hook = fieldsOf(event, "hook.failed");
  if (hook) return safe`hook ${storedLine(hook.hook, 60)} failed: ${storedLine(hook.error, 200)}`;
  const commit = fieldsOf(event, "commit.failed");
  if (commit) return safe`commit failed: ${storedLine(commit.error, 200)}`;
  const givenUp = fieldsOf(event, "task.givenup");
  return givenUp
    ? safe`${storedLine(givenUp.taskId, 80)} was given up: ${storedLine(givenUp.reason, 200)}`
    : null;
}
