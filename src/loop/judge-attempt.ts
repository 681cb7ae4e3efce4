import { mkdir } from "node:fs/promises";
import type { AgentResult } from "../agents/agent.ts";
import type { VerifyCommand } from "../base/verify-command.ts";
import { judge } from "../outcome/judge.ts";
import type { CheckResult, Claims, Outcome } from "../outcome/outcome.ts";
import { readClaims } from "../outcome/read-claims.ts";
import { verify } from "../outcome/verify.ts";
import { claimFlags } from "../tasks/claim-store.ts";
import { mayChangeNothing } from "../tasks/graph.ts";
import type { Iteration } from "./iteration/begin-iteration.ts";
import { environmentFault, type Preflight } from "./iteration/cannot-verify.ts";
import { type Guarded, putBackGuarded } from "./iteration/guard-iteration.ts";
import type { Interruption } from "./iteration/interruption.ts";
import type { Loop, RunOptions } from "./loop.ts";
import { inspectWork, withVerifiedChanges } from "./tree/inspect-work.ts";

interface AttemptToJudge {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  readonly guarded: Guarded;
  /** What verification lacked before the agent ran. */
  readonly before: Preflight;
}

/**
 * Judges what the agent did by facts: guarded files put back first, then what changed, then, when it claims to be
 * done, verification. An interruption when there is no verdict: a person stopped the run during verification, or
 * verification could not be executed.
 */
export async function judgeAttempt(
  loop: Loop,
  { iteration, result, guarded, before }: AttemptToJudge,
): Promise<Outcome | Interruption> {
  const restored = await putBackGuarded(loop, guarded);
  const { baseline } = iteration.state;
  if (!baseline) throw new Error(`iteration ${iteration.id} has no baseline`);
  const commands = verifyCommandsFor(loop, iteration);
  const { work, guardWarnings, definitions } = await inspectWork(loop, { baseline, restored, commands });
  const claims = await claimsOf(loop, iteration, result);
  const allowNoChange = await mayChangeNothing(loop.db, iteration.task);
  const worthVerifying =
    !result.error &&
    !claims.failed &&
    (claims.done || loop.options.completion === "verified") &&
    (work.changed || allowNoChange) &&
    !work.forbidden;
  const checks = worthVerifying ? await runChecks(loop, { iteration, result, commands }) : [];
  // Tests are the agent's code too: what they rewrote of git's configuration must not run in the commands below.
  const again = worthVerifying ? await putBackGuarded(loop, guarded) : [];
  if (loop.stop.aborted && checks.some((check) => !check.passed)) return stopped;
  const { files } = work;
  const fault = await environmentFault(loop, { iteration, checks, before, files, definitions });
  if (fault) return fault;
  const seen = {
    ...work,
    warnings: [...work.warnings, ...again.map((what) => `${what} (verification did)`)],
  };
  const final = checks.length > 0 ? await withVerifiedChanges(loop, baseline, seen) : seen;
  return judge({
    taskId: iteration.taskId,
    runId: loop.runId,
    iterationId: iteration.id,
    attempt: iteration.attempt,
    agent: iteration.agent.name,
    model: iteration.model,
    startedAt: iteration.startedAt,
    durationMs: Math.round(loop.clock.now().getTime() - Date.parse(iteration.startedAt)),
    result,
    claims,
    checks,
    work: final,
    configured: commands.length > 0,
    completion: loop.options.completion,
    allowNoChange,
    verifyGuard: loop.options.verifyGuard,
    guardWarnings,
  });
}

const stopped: Interruption = {
  kind: "cancelled",
  message: "stopped during verification",
  hint: null,
  resetAt: null,
};

/** The task's own commands, as they were before the iteration, else the project's. */
export function verifyCommandsFor(
  loop: { readonly options: Pick<RunOptions, "verify"> },
  { task }: Pick<Iteration, "task">,
): readonly VerifyCommand[] {
  return task.verification.length > 0 ? task.verification : loop.options.verify;
}

async function claimsOf(loop: Loop, iteration: Iteration, result: AgentResult): Promise<Claims> {
  const said = readClaims(result.finalMessage, iteration.taskId);
  const typed = await claimFlags(loop.db, iteration.claim);
  const failed = said.failed || typed.failed;
  return { ...said, failed, done: !failed && (said.done || typed.done) };
}

interface Verification {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  readonly commands: readonly VerifyCommand[];
}

async function runChecks(
  loop: Loop,
  { iteration, result, commands }: Verification,
): Promise<readonly CheckResult[]> {
  const tell = (
    type: "verification.started" | "verification.finished",
    data: Record<string, string | number | boolean>,
  ) => loop.log.publish({ type, runId: loop.runId, data: { taskId: iteration.taskId, ...data } });
  await mkdir(iteration.tmpDir, { recursive: true, mode: 0o700 });
  const { taskTimeoutMs } = loop.options;
  return verify(commands, {
    cwd: loop.root,
    env: { ...loop.env, TMPDIR: iteration.tmpDir },
    marker: iteration.marker,
    isolation: loop.isolation,
    signal: loop.stop,
    // The agent and its verification share one limit.
    remainingMs: taskTimeoutMs > 0 ? Math.max(0, taskTimeoutMs - result.durationMs) : null,
    onStart: (command) => tell("verification.started", { command }),
    onEnd: ({ command, passed, reason, durationMs }) =>
      tell("verification.finished", { command, passed, reason, durationMs }),
  });
}
