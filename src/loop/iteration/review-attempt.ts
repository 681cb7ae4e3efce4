import { join } from "node:path";
import type { AgentResult } from "../../agents/port/agent.ts";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { safe } from "../../base/safe-text.ts";
import { clip, count } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import { isRefusal, type Review } from "../../outcome/outcome.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import { fence } from "../../trust/fence.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { diffOfTree } from "../../workspace/diff.ts";
import type { Iteration } from "../rows/iteration.ts";
import { commit, type Loop, type Reviewer } from "../rows/loop.ts";
import { askAgent, fillPrompt } from "./agent-request.ts";
import prompt from "./review.md";
import type { Verified } from "./verify-attempt.ts";

/** How many attempts of a task a review may refuse. */
const maxRefusals = 2;
const diffChars = 60_000;
const taskChars = 10_000;
const reasonChars = 2000;
const timeoutMs = 10 * 60_000;

/** A review that was attempted; `costUsd` null: unknown. */
type Reviewed = Review & { readonly costUsd: number | null };

/**
 * Asks the second agent of the setting `review` about work that would be committed (UX-9). Returns null without one, and for
 * other work. A reviewer that does not answer gives no verdict, only a warning.
 */
export async function reviewAttempt(
  loop: Loop,
  iteration: Iteration,
  { session, verified }: { readonly session: AgentResult; readonly verified: Verified },
): Promise<Reviewed | null> {
  const { reviewer } = loop;
  if (reviewer === null || !wouldPass(session, verified)) return null;
  const by = `${reviewer.agent.name} (${reviewer.model})`;
  const { task } = iteration;
  const attempts = await attemptsOf(loop.db, task.id);
  const refused = attempts.filter(
    ({ attempt, reason }) => attempt > task.attemptsBefore && isRefusal(reason ?? ""),
  );
  if (refused.length >= maxRefusals) {
    const why = `the review refused ${count(maxRefusals, "attempt")} before, the last because ${refused.at(-1)?.reason}`;
    return { verdict: "none", by, text: safeLine(why, reasonChars), costUsd: null };
  }
  const { costUsd, error, finalMessage } = await ask(loop, iteration, { reviewer, verified }).catch(
    (thrown: unknown) => ({ costUsd: null, error: { message: messageOf(thrown) }, finalMessage: "" }),
  );
  const review = error ? noVerdict(by, error.message) : readReview(by, finalMessage);
  await commit(loop, async (tx) => {
    const { verdict, text } = review;
    const { attempt, taskId } = iteration;
    const data = {
      taskId,
      attempt,
      agent: reviewer.agent.name,
      model: reviewer.model,
      verdict,
      text,
      costUsd,
    };
    await record(tx, { type: "review.finished", runId: loop.runId, data }, loop.clock.now());
  });
  return { ...review, costUsd };
}

/** Returns true for work that verification passed, or that nothing verifies. */
function wouldPass(session: AgentResult, { claims, commands, checks, work }: Verified): boolean {
  if (session.error || claims.failed || work.forbidden || !work.changed) return false;
  return commands.length === 0 ? claims.done : checks.length > 0 && checks.every(({ passed }) => passed);
}

async function ask(
  loop: Loop,
  iteration: Iteration,
  { reviewer, verified: { work, checks } }: { readonly reviewer: Reviewer; readonly verified: Verified },
): Promise<AgentResult> {
  const from = iteration.state.baseline.head;
  const diff = from === null ? "" : await diffOfTree(loop.workspace, { from, paths: work.files });
  const seed = newId("seed", 16);
  const { task, marker, tmpDir } = iteration;
  const parts = [task.title, task.description, ...task.acceptance.map((text) => `- ${text}`)];
  const commands = checks.map(({ command }) => command).join("; ");
  const filled = fillPrompt(prompt, {
    task: fence(clip(safeText(parts.filter(Boolean).join("\n")), taskChars), seed),
    checks: commands === "" ? safe`none is configured` : safeLine(commands, 1000),
    diff: fence(clip(safeText(diff), diffChars), seed),
  });
  const place = { marker, cwd: join(tmpDir, "review") };
  return askAgent(loop, iteration, { ...reviewer, prompt: filled, timeoutMs, ...place });
}

function readReview(by: string, message: string): Review {
  const found = [...message.matchAll(/<review\s+verdict="(pass|fail)"\s*>([\s\S]*?)<\/review>/g)].at(-1);
  const [, verdict, text = ""] = found ?? [];
  if (verdict !== "pass" && verdict !== "fail") return noVerdict(by, "the answer has no verdict");
  return { verdict, by, text: safeLine(text, reasonChars) };
}

function noVerdict(by: string, why: string): Review {
  return { verdict: "none", by, text: safeLine(why, 300) };
}
