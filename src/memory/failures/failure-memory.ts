import type { MemoryKind } from "../memory-kind.ts";
import { buildReport } from "./build-report.ts";
import { insertReport } from "./failure-store.ts";
import instructions from "./instructions.md";
import { recallAttempts } from "./recall-attempts.ts";

/** Every attempt that is not done leaves a report, and a retry is told of them. */
export const failureMemory: MemoryKind = {
  name: "failures",
  instructions,
  capture: async (tx, outcome, now) => {
    if (outcome.name !== "done") await insertReport(tx, buildReport(outcome), outcome.runId, now);
  },
  recall: recallAttempts,
};
