import type { RedactedText } from "../base/safe-text.ts";
import { cleanText } from "../base/text.ts";
import { findSigils, type Sigil } from "../sigils/find-sigils.ts";
import { redactedText, safeLine } from "../trust/safe-text.ts";
import { readFailureReport } from "./read-failure-report.ts";
import { readMemorySigils } from "./read-memory-sigils.ts";
import type { Claims, Difficulty } from "./outcome.ts";

const modelName = /^[A-Za-z0-9][\w.:/-]{0,63}$/;
const difficulties: ReadonlySet<string> = new Set<Difficulty>([
  "trivial",
  "easy",
  "moderate",
  "hard",
  "blocked",
]);

/**
 * Returns the claims of an agent's final message about the task `taskId`. If a sigil may occur only once, the first valid
 * one counts. A done sigil counts only on the last non-empty line and with this task's id; done and failed together count as
 * failed. Texts are redacted. Never throws.
 */
export function readClaims(finalMessage: string, taskId: string): Claims {
  const sigils = findSigils(cleanText(finalMessage));
  const kept = sigils.map((sigil) => ({ ...sigil, body: redactedText(sigil.body) }));
  const failed = says(sigils, "task-failed", taskId);
  const lastLine = sigils.filter((sigil) => sigil.onLastLine);
  const done = saysDone(lastLine, taskId);
  return {
    done: done && !failed,
    ignoredSigil: done || failed ? null : ignoredSigil(sigils, taskId),
    failed,
    nextModel: firstOf(kept, "next-model", (text) => (modelName.test(text) ? text : null)),
    difficulty: firstOf(kept, "difficulty-estimate", (text) => (isDifficulty(text) ? text : null)),
    report: firstOf(kept, "failure-report", readFailureReport),
    retrySuggestion: firstOf(kept, "retry-suggestion", (text) => text || null),
    memory: readMemorySigils(kept),
  };
}

function says(sigils: readonly Sigil[], name: Sigil["name"], body: string): boolean {
  return sigils.some((sigil) => sigil.name === name && sigil.body.trim() === body);
}

function saysDone(sigils: readonly Sigil[], taskId: string): boolean {
  return says(sigils, "task-done", taskId) || says(sigils, "promise", "COMPLETE");
}

const maxIdChars = 60;

/** Names the last done or else failed sigil, which does not count: it names another task, or text follows it. */
function ignoredSigil(sigils: readonly Sigil[], taskId: string): string | null {
  const done = sigils.findLast((sigil) => sigil.name === "task-done" || saysDone([sigil], taskId));
  const claim = done ?? sigils.findLast(({ name }) => name === "task-failed");
  if (!claim) return null;
  const kind = claim === done ? "done" : "failed";
  const id = safeLine(claim.body, maxIdChars);
  const why = saysDone([claim], taskId)
    ? "it is not the last line of the final message"
    : `it names "${id}", not "${taskId}"`;
  return `the agent's ${kind} sigil does not count: ${why}`;
}

function firstOf<T>(
  sigils: readonly (Pick<Sigil, "name"> & { readonly body: RedactedText })[],
  name: Sigil["name"],
  read: (text: RedactedText) => T | null,
): T | null {
  for (const sigil of sigils) {
    const value = sigil.name === name ? read(sigil.body.trim()) : null;
    if (value !== null) return value;
  }
  return null;
}

function isDifficulty(text: string): text is Difficulty {
  return difficulties.has(text);
}
