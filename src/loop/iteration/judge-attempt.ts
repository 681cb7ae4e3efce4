import type { AgentResult } from "../../agents/agent.ts";
import { attemptRef } from "../../base/attempt-ref.ts";
import { judge } from "../../outcome/judge.ts";
import type { CheckResult, Claims, Outcome } from "../../outcome/outcome.ts";
import { readClaims } from "../../outcome/read-claims.ts";
import { type InputChange, inputWarnings } from "../../outcome/verification-files.ts";
import { claimFlags } from "../../tasks/claim-store.ts";
import { mayChangeNothing } from "../../tasks/graph.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import { removedPipes } from "../../workspace/status.ts";
import { fewerRan } from "../baseline/tests-run.ts";
import type { Loop } from "../loop.ts";
import { changedInputs, failing, inspectWork, withVerifiedChanges } from "../tree/inspect-work.ts";
import type { Iteration } from "./begin-iteration.ts";
import { environmentFault } from "./cannot-verify.ts";
import { madeWarnings } from "./checks/made-files.ts";
import { otherWork } from "./checks/other-work.ts";
import { type ChangesByVerification, runChecks } from "./checks/run-checks.ts";
import { type Guarded, restoreGuardedState } from "./guard-iteration.ts";
import type { Interruption } from "./interruption.ts";
import { dueCommands, verifyCommandsFor } from "./verify-commands.ts";

interface Session {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  /** A warning for each thing that was restored when the agent had ended. */
  readonly restored: readonly string[];
  readonly guarded: Guarded;
  /** The command of the project's verification that failed before the attempt. */
  readonly failedBefore: CheckResult | null;
}

/**
 * Judges an attempt by facts: inspects what changed, then, when the agent claims to be done, runs verification. Returns an
 * interruption when there is no verdict: a user stopped the run during verification, or verification could not be executed.
 */
export async function judgeAttempt(loop: Loop, session: Session): Promise<Outcome | Interruption> {
  const { iteration, result, restored, guarded } = session;
  const { baseline, overwritten } = iteration.state;
  const commands = verifyCommandsFor(loop, iteration);
  const found = { baseline, restored, commands, overwritten };
  const { work, guardWarnings, definitions } = await inspectWork(loop, found);
  const claims = await claimsOf(loop, iteration, result);
  const allowNoChange = await mayChangeNothing(loop.db, iteration.task);
  const worthVerifying =
    !result.error &&
    !claims.failed &&
    (claims.done || loop.options.completion === "verified") &&
    (work.changed || allowNoChange) &&
    !work.forbidden;
  const due = worthVerifying ? dueCommands(commands, work.files) : [];
  const restore = (statusNext = false) => restoreGuardedState(loop, iteration, guarded, { statusNext });
  const asked = { commands: due, work, definitions, agentMs: result.durationMs, restore };
  const { checks, place, between, rewritten, restoreIndex } = await runChecks(loop, iteration, asked);
  // Tests are the agent's code too: their changes to git's configuration must not take effect in the commands below.
  const statusNext = checks.length > 0 && !loop.clean;
  const again = worthVerifying ? [...(await restore(statusNext)), ...(await restoreIndex())] : [];
  if (loop.stop.aborted && checks.some((check) => !check.passed)) return stopped;
  const { files } = work;
  const before = guarded.preflight;
  const fault = await environmentFault(loop, { iteration, checks, place, before, files, definitions });
  if (fault) return fault;
  const comparing = workAfter(loop, baseline, { work, checks });
  const inputs = changedInputs(loop);
  const { verified, made } = await comparing;
  const late = lateChanges(loop.options, { inputs, known: work.warnings, files: verified.files });
  const pipes = removedPipes(loop.workspace);
  const byVerification = attributed([...between.warnings, ...again, ...pipes, ...late.warnings], restored);
  const { warnings: stated = [] } = result;
  const other = await otherWork(loop, { before: work, after: verified, rewritten });
  const fewer = weakerRuns(loop.options, iteration, checks);
  const others = [...fewer.warnings, ...other.warnings, ...madeWarnings(made)];
  const outcome = judge({
    ...attemptRef(iteration),
    agent: iteration.agent.name,
    model: iteration.model,
    startedAt: iteration.startedAt,
    durationMs: Math.round(loop.clock.monotonic() - iteration.startedMs),
    result,
    claims,
    checks,
    work: {
      ...verified,
      warnings: [...work.warnings, ...stated, ...byVerification, ...others],
    },
    configured: commands.length > 0,
    completion: loop.options.completion,
    allowNoChange,
    verifyGuard: loop.options.verifyGuard,
    guardWarnings: [...new Set([...guardWarnings, ...between.failing, ...late.failing, ...fewer.failing])],
    otherWork: other.failing,
    ...(loop.clean ? { usedAsBefore: definitions } : {}),
    failedBefore: session.failedBefore,
  });
  if (outcome.name === "done") {
    loop.made.add(made);
    loop.outside.accept();
  }
  // Under `strict` a change that was not undone fails the next attempts too.
  if (outcome.name === "done" || loop.options.verifyGuard === "report") loop.inputs.accept();
  return outcome;
}

/** Returns warnings about commands that ran fewer tests than when they last passed: whatever left them out, they judge less. */
function weakerRuns(
  { verifyGuard }: Loop["options"],
  { state: { testsRun = {} } }: Iteration,
  checks: readonly CheckResult[],
): ChangesByVerification {
  const warnings = verifyGuard === "off" ? [] : fewerRan(checks, testsRun);
  return { warnings, failing: verifyGuard === "report" ? [] : warnings };
}

/** Returns the work after verification, and the new files that it made besides, unless it failed: then the retry commits them. */
async function workAfter(
  loop: Pick<Loop, "clean" | "workspace">,
  baseline: Baseline,
  { work, checks }: Pick<Outcome, "work" | "checks">,
): ReturnType<typeof withVerifiedChanges> {
  if (checks.length === 0 || loop.clean) return { verified: work, made: [] };
  const { verified, made } = await withVerifiedChanges(loop, baseline, work);
  return { verified, made: checks.every((check) => check.passed) ? made : [] };
}

/** Says that verification caused these warnings, unless the agent did. */
function attributed(warnings: readonly string[], restored: readonly string[]): readonly string[] {
  return [...new Set(warnings)]
    .filter((warning) => !(stays.test(warning) && restored.includes(warning)))
    .map((warning) => `${warning} (verification did)`);
}

/** Warnings about what cannot be undone, which is found again after each command. */
const stays = /, and stays there: /;

const stopped: Interruption = {
  kind: "cancelled",
  message: "stopped during verification",
  hint: null,
  resetAt: null,
};

/** Merges the claims of the final message with those that the agent reported by a command or a tool. */
async function claimsOf(
  { db }: Pick<Loop, "db">,
  iteration: Iteration,
  { finalMessage }: AgentResult,
): Promise<Claims> {
  const stated = readClaims(finalMessage, iteration.taskId);
  const typed = await claimFlags(db, iteration.claim);
  const failed = stated.failed || typed.failed;
  return { ...stated, failed, done: !failed && (stated.done || typed.done) };
}

interface LateChanges {
  readonly inputs: readonly InputChange[];
  /** Warnings about the changes before verification. */
  readonly known: readonly string[];
  readonly files: readonly string[];
}

/** Returns the changes to what verification reads that verification itself made. */
function lateChanges(
  { verifyGuard }: Loop["options"],
  { inputs, known, files }: LateChanges,
): ChangesByVerification {
  const isNew = (warning: string): boolean => !known.includes(warning);
  const warnings = inputWarnings(inputs, files).filter(isNew);
  return { warnings, failing: failing(verifyGuard, warnings, inputs).filter(isNew) };
}
