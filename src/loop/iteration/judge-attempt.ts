import type { AgentResult } from "../../agents/port/agent.ts";
import { attemptRef } from "../../base/attempt-ref.ts";
import type { VerifyGuard } from "../../base/verify-command.ts";
import { type JudgeFacts, judge } from "../../outcome/judge.ts";
import type { CheckResult, Claims, Outcome } from "../../outcome/outcome.ts";
import { readClaims } from "../../outcome/read-claims.ts";
import { describeWeakenings, type Weakening } from "../../outcome/weakenings.ts";
import { claimFlags } from "../../tasks/graph/claim-store.ts";
import { mayChangeNothing } from "../../tasks/graph/task-graph.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import type { Loop } from "../rows/loop.ts";
import { fewerRan } from "../rows/tests-run.ts";
import { inspectWork, withVerifiedChanges } from "../tree/inspect-work.ts";
import { madeWarnings } from "../tree/made-files.ts";
import type { Iteration } from "./begin-iteration.ts";
import { environmentFault } from "./cannot-verify.ts";
import type { Held } from "./hold-iteration.ts";
import type { Interruption } from "./interruption.ts";
import { otherWork } from "./other-work.ts";
import { readWeakenings } from "./read-weakenings.ts";
import { runChecks } from "./run-checks.ts";
import { dueCommands, verifyCommandsFor } from "./verify-commands.ts";

interface Session {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  readonly held: Held;
  /** The command of the project's verification that failed before the attempt. */
  readonly failedBefore: CheckResult | null;
}

/**
 * Judges an attempt by facts: inspects what changed, then, when the agent claims to be done, runs verification. Returns an
 * interruption when there is no verdict: a user stopped the run during verification, or verification could not be executed.
 */
export async function judgeAttempt(loop: Loop, session: Session): Promise<Outcome | Interruption> {
  const { iteration, result, held } = session;
  const { baseline, overwritten } = iteration.state;
  const commands = verifyCommandsFor(loop, iteration);
  const restored = [...held.restored];
  const work = await inspectWork(loop, { baseline, restored, overwritten });
  const { files } = work;
  const weakened = await readWeakenings(loop, { from: baseline.head, files, commands });
  const definitions = [...new Set(weakened.map(({ path }) => path))];
  const claims = await claimsOf(loop, iteration, result);
  const allowNoChange = await mayChangeNothing(loop.db, iteration.task);
  const worthVerifying =
    !result.error &&
    !claims.failed &&
    (claims.done || loop.options.completion === "verified") &&
    (work.changed || allowNoChange) &&
    !work.forbidden;
  const due = worthVerifying ? dueCommands(commands, files) : [];
  const asked = { commands: due, work, weakened: definitions, agentMs: result.durationMs };
  const { checks, place, rewritten } = await runChecks(loop, iteration, asked);
  // Tests are the agent's code too: their changes to git's configuration must not take effect in the commands below.
  const statusNext = checks.length > 0 && !loop.clean;
  const again = worthVerifying ? await held.restore({ statusNext }) : [];
  if (loop.stop.aborted && checks.some((check) => !check.passed)) return stopped;
  const before = held.preflight;
  const fault = await environmentFault(loop, { iteration, checks, place, before, files, definitions });
  if (fault) return fault;
  const { verified, made } = await workAfter(loop, baseline, { work, checks });
  const byVerification = again
    .filter((warning) => !restored.includes(warning))
    .map((warning) => `${warning} (verification did)`);
  const fewer = fewerRan(checks, iteration.state.testsRun ?? {});
  const other = otherWork({ before: work, after: verified, rewritten });
  const guard = guarding(loop.options.verifyGuard, { weakened, fewer, other });
  const warnings = [
    ...[...work.warnings, ...guard.reported, ...(result.warnings ?? []), ...byVerification],
    ...[...guard.alsoReported, ...madeWarnings(made)],
  ];
  const outcome = judge({
    ...attemptRef(iteration),
    agent: iteration.agent.name,
    model: iteration.model,
    startedAt: iteration.startedAt,
    durationMs: Math.round(loop.clock.monotonic() - iteration.startedMs),
    result,
    claims,
    checks,
    work: { ...verified, warnings },
    configured: commands.length > 0,
    completion: loop.options.completion,
    allowNoChange,
    ...guard.verdict,
    ...(loop.clean ? { usedAsBefore: definitions } : {}),
    failedBefore: session.failedBefore,
  });
  if (outcome.name === "done") loop.made.add(made);
  return outcome;
}

interface Guarding {
  readonly weakened: readonly Weakening[];
  /** The commands that ran fewer tests than when they last passed: whatever left them out, they judge less. */
  readonly fewer: readonly string[];
  /** Why the finished work is not what verification read. */
  readonly other: string | null;
}

/** Returns what `verifyGuard` reports, and for what the attempt fails; a separate work tree has no weakened file (LOOP-18). */
function guarding(
  level: VerifyGuard,
  { weakened, fewer, other }: Guarding,
): {
  readonly reported: readonly string[];
  readonly alsoReported: readonly string[];
  readonly verdict: Pick<JudgeFacts, "guardWarnings" | "otherWork">;
} {
  if (level === "off") return { reported: [], alsoReported: [], verdict: {} };
  const reported = describeWeakenings(weakened);
  const alsoReported = [...fewer, ...(other === null ? [] : [other])];
  if (level === "report") return { reported, alsoReported, verdict: {} };
  const guardWarnings = level === "strict" ? [...reported, ...fewer] : fewer;
  return { reported, alsoReported, verdict: { guardWarnings, otherWork: other } };
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
