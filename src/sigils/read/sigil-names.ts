/** Every sigil that an agent may write. Case-sensitive. */
export const sigilNames = [
  "task-done",
  "task-failed",
  "no-change-needed",
  "promise",
  "next-model",
  "failure-report",
  "learning",
  "difficulty-estimate",
  "retry-suggestion",
  "note",
  "memory-used",
  "subtasks",
  "missing-context",
  "wished-skill",
] as const;

export type SigilName = (typeof sigilNames)[number];
