import type { Confinement } from "../../agents/port/confinement.ts";
import { formatDuration } from "../../base/duration.ts";
import { newId } from "../../base/ids.ts";
import { safe } from "../../base/safe-text.ts";
import { clip, oneLine } from "../../base/text.ts";
import { defaultVerifyTimeoutMs, type VerifyCommand } from "../../base/verify-command.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { formWarnings, verify } from "../../outcome/verify.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { Session } from "../shell/command.ts";
import { listenForStop } from "../shell/stop-signals.ts";

/** The result of one trial of a verification command on the tree as it is. */
export interface Trial {
  readonly run: string;
  readonly state: "passed" | "failed" | "cannot-run" | "unfinished";
  /** For people: `passed in 1.2 s`, `fails: exit code 1: …`. */
  readonly detail: string;
  /** Why its exit code says nothing of the tests, with what to write instead; null: it does. */
  readonly warning: string | null;
}

interface Trials {
  readonly root: string;
  readonly commands: readonly VerifyCommand[];
  readonly confinement: Confinement;
}

type Trier = Pick<Session, "json" | "note" | "screen">;

/** Time for all commands together: enough to see that they start, and for a short suite to end. */
const trialMs = 60_000;

/**
 * Runs approved or just accepted commands once, each until it ends or the time for all of them is over; notes each on a
 * terminal. A signal ends the running command with all its processes, then this process.
 */
export async function tryVerification(
  session: Trier,
  { root, commands, confinement }: Trials,
): Promise<readonly Trial[]> {
  const marker = newId("trial", 8);
  const end = performance.now() + trialMs;
  const signals = listenForStop({ notify: () => undefined, leave: () => undefined });
  const trials: Trial[] = [];
  const warnings = await formWarnings(commands, root);
  try {
    for (const command of commands) {
      if (session.screen.noteIsTerminal && !session.json)
        session.note(safe`trying \`${safeText(command.run)}\` …`);
      const remainingMs = Math.max(1, end - performance.now());
      const [result] = await verify([command], {
        ...{ cwd: root, env: childEnvironment(), marker, remainingMs },
        ...confinement,
        signal: signals.stop,
      });
      signals.reraise();
      if (!result) continue;
      trials.push({ ...toTrial(command, result, remainingMs), warning: warnings.get(command.run) ?? null });
    }
    return trials;
  } finally {
    signals.dispose();
  }
}

function toTrial(command: VerifyCommand, result: CheckResult, remainingMs: number): Omit<Trial, "warning"> {
  const { run, timeoutMs } = command;
  if (result.passed)
    return { run, state: "passed", detail: `passed in ${formatDuration(result.durationMs)}` };
  if (result.cannotRun)
    return { run, state: "cannot-run", detail: `cannot be executed: ${result.cannotRun.missing}` };
  const limitMs = timeoutMs ?? defaultVerifyTimeoutMs;
  if (result.reason.startsWith("timed out") && limitMs > remainingMs) {
    const tried = formatDuration(result.durationMs);
    return {
      run,
      state: "unfinished",
      detail: `started, not finished after ${tried} (limit: ${formatDuration(limitMs)})`,
    };
  }
  const error = clip(oneLine(result.excerpt), 200);
  return { run, state: "failed", detail: `fails: ${result.reason}${error === "" ? "" : `: ${error}`}` };
}
