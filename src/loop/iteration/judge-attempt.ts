import type { AgentResult } from "../../agents/port/agent.ts";
import { answeringModel } from "../../agents/port/answering-model.ts";
import { attemptRef } from "../../base/attempt-ref.ts";
import { nameSome } from "../../base/text.ts";
import type { VerifyGuard } from "../../base/verify-command.ts";
import { type JudgeFacts, judge, notAsRead } from "../../outcome/judge.ts";
import type { Outcome, Review, WorkDone } from "../../outcome/outcome.ts";
import { flakyWarnings } from "../../outcome/verify.ts";
import { describeWeakenings, summarizeWeakenings, type Weakening } from "../../outcome/weakenings.ts";
import type { Iteration } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import { fewerRan } from "../rows/tests-run.ts";
import { byproductWarnings } from "../tree/byproducts.ts";
import type { Verified } from "./verify-attempt.ts";

interface Attempt {
  readonly session: AgentResult;
  /** The changes of the session. */
  readonly work: WorkDone;
  readonly verified: Verified;
  /** Null: nobody reviewed the work. */
  readonly review: Review | null;
}

/** Judges an attempt by facts. Reads nothing but its arguments and the clock; notes in `warnedOf` what its warnings name. */
export function judgeAttempt(
  { clean, clock, options, warnedOf }: Pick<Loop, "clean" | "clock" | "options" | "warnedOf">,
  iteration: Iteration,
  { session, work, verified, review }: Attempt,
): Outcome {
  const { claims, checks, commands, allowNoChange, weakened, byproducts, restored } = verified;
  const fewer = asksToRemove(iteration.task.title) ? [] : fewerRan(checks, iteration.state.testsRun);
  const other = otherWork({ before: work, after: verified.work, rewritten: verified.rewritten });
  const guard = guarding(options.verifyGuard, { weakened, fewer, other, warnedOf });
  const byVerification = restored.map((warning) => `${warning} (during verification)`);
  const warnings = [
    ...[...work.warnings, ...guard.reported, ...(session.warnings ?? []), ...byVerification],
    ...flakyWarnings(checks),
    ...byproductWarnings(byproducts),
    ...(review?.verdict === "none" ? [`not reviewed by ${review.by}: ${review.text}`] : []),
  ];
  return judge({
    ...attemptRef(iteration),
    agent: iteration.agent.name,
    ...answeredBy(iteration, session),
    startedAt: iteration.startedAt,
    durationMs: Math.round(clock.monotonic() - iteration.startedMs),
    result: session,
    claims,
    checks,
    work: { ...verified.work, warnings },
    configured: commands.length > 0,
    completion: options.completion,
    allowNoChange,
    ...guard.verdict,
    ...(clean ? { usedAsBefore: [...new Set(weakened.map(({ path }) => path))] } : {}),
    failedBefore: iteration.failedBefore,
    review,
  });
}

/** Returns the model to which a session is credited, and the one that was asked if that is another. */
export function answeredBy(
  { agent, model: asked }: Pick<Iteration, "agent" | "model">,
  session: Pick<AgentResult, "model">,
): Pick<Outcome, "model" | "askedModel"> {
  const model = answeringModel(asked, session.model, agent.tiers);
  return model === asked ? { model } : { model, askedModel: asked };
}

interface ComparedWork {
  readonly before: WorkDone;
  readonly after: WorkDone;
  readonly rewritten: Verified["rewritten"];
}

/** Returns a warning where the finished work is not what verification read; null if it is. */
function otherWork({ before, after, rewritten }: ComparedWork): string | null {
  if (rewritten === null) return null;
  const known = new Set(before.files);
  const added = after.files.filter((path) => !known.has(path));
  const changed = [...new Set([...rewritten, ...added])];
  return changed.length === 0 ? null : `${nameSome(changed)}${notAsRead}`;
}

/** Reports whether the task is to take something away, with its tests. */
function asksToRemove(title: string): boolean {
  return /^(?:revert|remove|delete|drop)\b/i.test(title);
}

interface Guarding {
  readonly weakened: readonly Weakening[];
  /** The commands that ran fewer tests than when they last passed: whatever left them out, they judge less. */
  readonly fewer: readonly string[];
  /** Why the finished work is not what verification read. */
  readonly other: string | null;
  /** The files that a warning of this run named: each is named once. */
  readonly warnedOf: Set<string>;
}

/** Returns what `verifyGuard` reports, and for what the attempt fails; a separate work tree has no weakened file (LOOP-18). */
function guarding(
  level: VerifyGuard,
  { weakened, fewer, other, warnedOf }: Guarding,
): {
  readonly reported: readonly string[];
  readonly verdict: Pick<JudgeFacts, "guardWarnings" | "otherWork">;
} {
  if (level === "off") return { reported: [], verdict: {} };
  const fresh = weakened.filter(({ path }) => !warnedOf.has(path));
  for (const { path } of fresh) warnedOf.add(path);
  const reported = summarizeWeakenings(fresh, [...fewer, ...(other === null ? [] : [other])]);
  if (level === "report") return { reported, verdict: {} };
  const guardWarnings = level === "strict" ? [...describeWeakenings(weakened), ...fewer] : fewer;
  return { reported, verdict: { guardWarnings, otherWork: other } };
}
