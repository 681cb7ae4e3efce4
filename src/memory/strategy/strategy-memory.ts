import type { MemoryKind } from "../memory-kind.ts";
import instructions from "./instructions.md";
import { recallStatus } from "./recall-status.ts";
import { countAttempt } from "./strategy-store.ts";

/** Every attempt is counted; a prompt is told where the loop stands, and when the task is stuck. */
export function strategyMemory(limits: { readonly stuckAfter: number }): MemoryKind {
  return {
    name: "strategy",
    instructions,
    capture: (tx, outcome, now) => countAttempt(tx, outcome, limits, now),
    recall: recallStatus,
  };
}
