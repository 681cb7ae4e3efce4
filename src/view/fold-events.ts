import { type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf } from "../events/run-events.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";

/** The facts of an attempt that only its event has. */
interface AttemptFacts {
  readonly files: readonly SafeText[];
  readonly category: SafeText;
  readonly hint: SafeText;
}

interface BegunFacts {
  /** 0: no limit. */
  readonly maxAttempts: number;
  readonly failuresShown: number;
}

/** The facts of one run that only its events have. */
export interface FoldedEvents {
  readonly runId: string;
  readonly branch: SafeText;
  readonly budgetUsd: number | null;
  /** Of the last attempt of each task that began. */
  readonly begun: ReadonlyMap<string, BegunFacts>;
  /** By `task attempt`. */
  readonly attempts: ReadonlyMap<string, AttemptFacts>;
  /** The last warnings, newest first. */
  readonly notices: readonly SafeText[];
  /** The verification before the first attempt, while it runs. */
  readonly doing: SafeText;
}

export function emptyFold(runId: string): FoldedEvents {
  const texts = { branch: safe``, doing: safe``, notices: [] };
  return { runId, ...texts, budgetUsd: null, begun: new Map(), attempts: new Map() };
}

export function attemptKey(taskId: string, attempt: number): string {
  return `${taskId} ${attempt}`;
}

const maxNotices = 5;

/** Adds an event. Events of other runs, and those that no view shows, change nothing. */
export function foldEvent(state: FoldedEvents, event: RalphEvent): FoldedEvents {
  if (event.jobId !== state.runId) return state;
  const baseline = fieldsOf(event, "baseline.started");
  if (baseline)
    return {
      ...state,
      doing: safe`verifying without any attempt: ${storedLine(baseline.commands.join(" && "), 200)}`,
    };
  if (event.type === "baseline.finished") return withNotice({ ...state, doing: safe`` }, event);
  const run = fieldsOf(event, "run.started");
  if (run) return { ...state, branch: storedLine(run.branch ?? "", 200), budgetUsd: run.budgetUsd };
  const started = fieldsOf(event, "iteration.started");
  if (started) {
    const { taskId, maxAttempts, memory } = started;
    const begun = { maxAttempts, failuresShown: memory["attempts"] ?? 0 };
    return { ...state, begun: new Map(state.begun).set(taskId, begun) };
  }
  const it = fieldsOf(event, "iteration.finished");
  if (!it) return withNotice(state, event);
  const facts = {
    files: it.files.slice(0, 50).map((file) => storedLine(file, 300)),
    category: storedLine(it.category ?? "", 60),
    hint: storedText(it.hint ?? ""),
  };
  return { ...state, attempts: new Map(state.attempts).set(attemptKey(it.taskId, it.attempt), facts) };
}

function withNotice(state: FoldedEvents, event: RalphEvent): FoldedEvents {
  const notice = noticeOf(event);
  return notice === null ? state : { ...state, notices: [notice, ...state.notices].slice(0, maxNotices) };
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
