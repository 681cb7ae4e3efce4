import { safe } from "../src/base/safe-text.ts";
import type { Outcome } from "../src/outcome/outcome.ts";

const noSession: Outcome["session"] = {
  model: null,
  sessionId: null,
  stopReason: null,
  costSource: null,
  permissionDenials: [],
  contextUsed: null,
  contextSize: null,
  compactions: 0,
};

/** An outcome with plain defaults: attempt 1 of task `t-1`, failed in verification. */
export function sampleOutcome(changes: Partial<Outcome> = {}): Outcome {
  const attempt = changes.attempt ?? 1;
  return {
    taskId: "t-1",
    runId: "run-1",
    iterationId: `i-${changes.taskId ?? "t-1"}-${attempt}`,
    attempt,
    agent: "claude",
    model: "sonnet",
    startedAt: new Date(Date.UTC(2026, 2, 1, 10, attempt)).toISOString(),
    durationMs: 1000,
    tokens: null,
    costUsd: null,
    session: noSession,
    name: "failed",
    verification: "failed",
    errorType: "unknown",
    category: safe`type_error`,
    signature: safe`type_error:${attempt}`,
    reason: "verification failed: `npm test` ended with exit code 1",
    claims: {
      done: true,
      ignoredSigil: null,
      failed: false,
      noChangeNeeded: null,
      nextModel: null,
      difficulty: null,
      report: null,
      retrySuggestion: null,
      memory: {
        learnings: [],
        notes: [],
        verdicts: [],
        subtasks: null,
        missingContext: [],
        wishedSkills: [],
      },
    },
    checks: [
      {
        command: "npm test",
        passed: false,
        reason: "exit code 1",
        exitCode: 1,
        durationMs: 500,
        excerpt: "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
        cannotRun: null,
      },
    ],
    work: {
      changedPaths: ["src/a.ts"],
      commits: [],
      files: ["src/a.ts"],
      changed: true,
      warnings: [],
      usersFiles: [],
      forbidden: null,
    },
    agentError: null,
    finalMessage:
      "I changed the parser to return a number. The tests should pass now.\n<task-done>t-1</task-done>",
    errorExcerpt: "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
    ...changes,
  };
}

/** The claims of an agent that says this, over `sampleOutcome`'s. */
export function saying(changes: Partial<Outcome["claims"]>): Outcome["claims"] {
  return { ...sampleOutcome().claims, ...changes };
}

/** The claims of an agent that tells one learning. */
export function learnt(
  text: string,
  more: Partial<Outcome["claims"]["memory"]["learnings"][0]> = {},
): Outcome["claims"]["memory"] {
  const said = { category: "pitfall", tags: ["dates"], topic: null, text, ...more };
  return { ...sampleOutcome().claims.memory, learnings: [said] };
}

/** Changes that make `sampleOutcome` a verified success, whose agent says nothing more. */
export const passed = {
  finalMessage: "Finished.",
  name: "done",
  verification: "passed",
  signature: null,
  category: null,
  errorExcerpt: "",
} as const;
