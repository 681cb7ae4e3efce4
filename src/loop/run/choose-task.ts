import { detectSetup } from "../../outcome/detect-setup.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import { signatureOfCheck } from "../../outcome/judge.ts";
import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { describeCannotRun, projectVerification } from "../iteration/cannot-verify.ts";
import type { Loop } from "../rows/loop.ts";
import { checkBaseline } from "./check-baseline.ts";
import { type RunStop, stopWith } from "./stop-rules.ts";

/** The task to attempt, with the command that fails before it. */
export interface Ready {
  readonly task: Task;
  /** Null: none that is known. */
  readonly failedBefore: CheckResult | null;
}

interface ChoiceRequest {
  readonly baseline: BaselineState;
  /** The next task in the order of the list. */
  readonly task: Task;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
}

/**
 * Checks the project's verification before the first attempt that it judges, and chooses the task: `task`, or while
 * verification fails one that may begin so (LOOP-20). Returns the end of the run where there is none.
 */
export async function chooseTask(loop: Loop, request: ChoiceRequest): Promise<Ready | RunStop> {
  const { baseline, task } = request;
  const { verifyBaseline, verify } = loop.options;
  if (verifyBaseline === "off" || verify.length === 0) return { task, failedBefore: null };
  if (baseline.known === "unknown" && isJudgedByProject(task)) {
    const stop = await check(loop, request);
    if (stop) return stop;
  }
  if (baseline.known !== "fails") return { task, failedBefore: null };
  const chosen = baseline.accepted || mayStartRed(task) ? task : await otherTask(loop, baseline, task);
  if (!chosen) return stopFor(loop, baseline);
  return { task: chosen, failedBefore: isJudgedByProject(chosen) ? baseline.failed : null };
}

/** Returns undefined when the state of the baseline is known. */
async function check(
  loop: Loop,
  { baseline, task, remainingMs }: ChoiceRequest,
): Promise<RunStop | undefined> {
  const { suspect } = baseline;
  const startedMs = loop.clock.monotonic();
  const failed = await checkBaseline(loop, { again: suspect !== null, remainingMs });
  const isOver = remainingMs !== null && loop.clock.monotonic() - startedMs >= remainingMs;
  if (loop.stop.aborted) return stopWith("stopped");
  if (failed && isOver) return stopWith("max-duration");
  const repeated = failed !== null && suspect === signatureOfCheck(failed);
  const accepted = loop.options.allowRed && !repeated;
  if (failed?.cannotRun && !accepted && !task.allowRed) {
    const { command, cannotRun } = failed;
    const { message, hint } = describeCannotRun({ command, cannotRun }, projectVerification(loop));
    const creating = "if a task creates it: ralph task edit TASK --allow-red";
    return stopWith("cannot-verify", message, `${setupHint(loop)}${hint}; ${creating}`);
  }
  baseline.failed = failed;
  baseline.known = failed ? "fails" : "passes";
  if (failed) baseline.verifiedTree = false;
  baseline.accepted = accepted;
  if (failed === null) baseline.suspect = null;
  return undefined;
}

/** Returns a ready task that may begin while verification fails, or else `task` if a person accepts that. */
async function otherTask(loop: Loop, baseline: BaselineState, task: Task): Promise<Task | undefined> {
  const repairing = await nextTask(loop.db, loop.options.only ?? undefined, {
    mayStartRed: true,
    except: loop.adopted.waiting,
  });
  if (repairing) return repairing;
  if (loop.confirmRed) {
    // The failure is shown before the question, and the live line has left the terminal.
    await loop.log.flush();
    baseline.accepted = await loop.confirmRed();
  }
  return baseline.accepted ? task : undefined;
}

function stopFor(loop: Loop, { failed, suspect, stopped }: BaselineState): RunStop {
  const line = safeLine(firstErrorLine(failed?.excerpt ?? "") ?? "", 160);
  const what = [failed?.command, failed?.reason, line].filter(Boolean).join(": ");
  const tasks = suspect === null ? [] : [...(stopped.get(suspect) ?? [])];
  return stopWith(
    "baseline-failed",
    tasks.length === 0 ? what : `${what}; an error stopped ${tasks.join(" and ")} alike`,
    `${setupHint(loop)}${timeHint(failed)}repair it, or mark the task that does (ralph task edit TASK --allow-red), then: ralph run; to start anyway: ralph run --allow-red`,
  );
}

function timeHint(failed: CheckResult | null): string {
  const isSlow = failed?.reason.startsWith("timed out") ?? false;
  return isSlow ? "give it more time ({ run: …, timeout: 30m } in verify of .ralph/config.yaml), " : "";
}

/** The project's installed packages are not in the separate work tree. */
function setupHint({ clean, options, root }: Pick<Loop, "clean" | "options" | "root">): string {
  const commands = clean && options.verifySetup.length === 0 ? detectSetup(root) : [];
  if (commands.length === 0) return "";
  return `the separate work tree of verifyGuard: clean has no installed dependencies: set \`verifySetup: [${commands.join(", ")}]\` in .ralph/config.yaml; otherwise `;
}

/** Updates the baseline after a judged attempt. */
export async function noteOutcome(
  { db, options }: Pick<Loop, "db" | "options">,
  baseline: BaselineState,
  { task, outcome }: { readonly task: Task; readonly outcome: Outcome },
): Promise<void> {
  const byProject = isJudgedByProject(task);
  if (outcome.name === "done") {
    const passed = byProject && outcome.verification === "passed";
    if (passed) notePassed(baseline, outcome, options.verify.length);
    baseline.verifiedTree = passed && baseline.known === "passes";
    return;
  }
  if (!byProject || outcome.verification !== "failed" || outcome.signature === null) return;
  const { status } = (await getTask(db, task.id)) ?? task;
  if (status === "blocked") noteStopped(baseline, outcome.signature, task.id);
}

/** Only the commands that are due for a task's files ran (`when`): the others are known by the baseline. */
function notePassed(baseline: BaselineState, { checks }: Outcome, commands: number): void {
  if (checks.length === commands) baseline.known = "passes";
  else if (checks.some(({ command }) => command === baseline.failed?.command)) baseline.known = "unknown";
  if (baseline.known !== "fails") baseline.failed = null;
}

/** A task's own verification replaces the project's. */
function isJudgedByProject({ verification }: Task): boolean {
  return verification.length === 0;
}

function mayStartRed(task: Task): boolean {
  return task.allowRed || !isJudgedByProject(task);
}

/** The result of the project's verification without any attempt's changes, as far as the run knows it (LOOP-20). */
export interface BaselineState {
  /** `unknown` until it is needed, and again when an error signature stopped two tasks. */
  known: "unknown" | "passes" | "fails";
  /** The command that fails; null: none. */
  failed: CheckResult | null;
  /** True: tasks are attempted although it fails. */
  accepted: boolean;
  /** By error signature: the tasks that it stopped in this run. */
  readonly stopped: Map<string, Set<string>>;
  /** The signature that stopped two tasks and is to be checked against the baseline; null: none. */
  suspect: string | null;
  /** The last task that was done passed the project's verification, which did not fail since: the tree is known to pass. */
  verifiedTree: boolean;
}

export function beginBaseline(): BaselineState {
  return {
    known: "unknown",
    failed: null,
    accepted: false,
    stopped: new Map(),
    suspect: null,
    verifiedTree: false,
  };
}

/** The number of tasks that one error signature stops before it is checked against the baseline. */
const maxStopped = 2;

/** Notes that a task was blocked by attempts that end with this error of the project's verification. */
function noteStopped(state: BaselineState, signature: string, taskId: string): void {
  const tasks = state.stopped.get(signature) ?? new Set();
  state.stopped.set(signature, tasks.add(taskId));
  if (tasks.size < maxStopped) return;
  state.suspect = signature;
  state.known = "unknown";
}
