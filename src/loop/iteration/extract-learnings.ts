import { open } from "node:fs/promises";
import { join } from "node:path";
import { carefulRead } from "../../base/careful-files.ts";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { record } from "../../events/event-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordExtraction } from "../../outcome/outcome-store.ts";
import { fence } from "../../trust/fence.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import type { Iteration } from "../rows/iteration.ts";
import { commit, type Extraction, type Loop, sessionLog } from "../rows/loop.ts";
import { askAgent, fillPrompt } from "./agent-request.ts";
import prompt from "./extract.md";
import { readExtract } from "./read-extract.ts";

/** The maximum number of extractions per run that report no cost, and of those that fail. */
const maxFailures = { unpriced: 20, failures: 3 };
const logChars = 30_000;
const timeoutMs = 180_000;

/**
 * Extracts learnings from the session's log with a model and stores them, after the iteration is recorded: an error here
 * is a `memory.failed` event and changes nothing else. Returns the cost, or null when it is unknown.
 */
export async function extractLearnings(
  loop: Loop,
  iteration: Iteration,
  outcome: Outcome,
): Promise<number | null> {
  const { extraction } = loop;
  if (!extraction || !isWanted(extraction, outcome) || loop.stop.aborted) return null;
  const session = extraction.sessions.get(iteration.agent.name);
  if (!session) return null;
  const { agent, model } = session;
  const { spent } = extraction;
  let costUsd: number | null = null;
  try {
    const question = await promptFor(loop, iteration, outcome);
    const place = { marker: iteration.marker, cwd: join(iteration.tmpDir, "extract") };
    const result = await askAgent(loop, iteration, { agent, model, timeoutMs, prompt: question, ...place });
    const usd = result.costUsd;
    costUsd = usd;
    // Stored before the answer is read: a useless one costs as much.
    if (usd === null) spent.unpriced += 1;
    else {
      spent.usd += usd;
      await commit(loop, (tx) => recordExtraction(tx, iteration.iterationId, { model, usd }));
    }
    if (result.error) throw new Error(result.error.message);
    const extracted = readExtract(result.finalMessage);
    if (!extracted) throw new Error("the answer is not the JSON object that was asked for");
    const claims = { ...outcome.claims, memory: { ...outcome.claims.memory, ...extracted } };
    await commit(loop, async (tx) => {
      const now = loop.clock.now();
      await loop.memory.captureExtracted(tx, { ...outcome, claims, agent: agent.name, model }, now);
      const data = {
        taskId: outcome.taskId,
        attempt: outcome.attempt,
        model,
        costUsd,
        said: extracted.learnings.length,
      };
      await record(tx, { type: "learning.extracted", runId: loop.runId, data }, now);
    });
  } catch (error) {
    spent.failures += 1;
    const message = safeLine(messageOf(error), 500);
    const data = { kind: "learnings", step: "extract", taskId: outcome.taskId, error: message };
    loop.log.publish({ type: "memory.failed", runId: loop.runId, data });
  }
  return costUsd;
}

function isWanted({ when, budgetUsd, spent }: Extraction, { name }: Outcome): boolean {
  const fits = when === "all" || name !== "done";
  return (
    fits &&
    spent.usd < budgetUsd &&
    spent.unpriced < maxFailures.unpriced &&
    spent.failures < maxFailures.failures
  );
}

async function promptFor(loop: Loop, iteration: Iteration, outcome: Outcome): Promise<SafeText> {
  return fillPrompt(prompt, {
    outcome: safeLine(`${outcome.name}: ${outcome.reason}`),
    log: fence(await logOf(sessionLog(loop, iteration), outcome), newId("seed", 16)),
  });
}

/** Returns the end of the session's log, its final message and its error. */
async function logOf(path: string, outcome: Outcome): Promise<SafeText> {
  const parts = [await readTail(path), `Last message:\n${outcome.finalMessage}`, outcome.errorExcerpt];
  return safeText(parts.filter((part) => part.trim() !== "").join("\n\n")).slice(-logChars);
}

async function readTail(path: string): Promise<string> {
  // Opening a pipe that the agent put in its place would wait for a writer.
  const file = await open(path, carefulRead);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, logChars);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
