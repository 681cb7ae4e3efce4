import { count as countOf } from "../../base/text.ts";
import type { MemoryKind } from "../memory-kind.ts";
import { buildReport } from "./build-report.ts";
import { countReportsOf, insertReport, retriesThatSucceeded } from "./failure-store.ts";
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
  report: async (db, runId) => {
    const count = await countReportsOf(db, runId);
    const retried = await retriesThatSucceeded(db, runId);
    return {
      captured: count > 0 ? [{ what: "failure report", count }] : [],
      helped: retried.map(({ taskId, attempt, reports }) => ({
        id: `failure ${taskId}#${attempt - 1}`,
        how: `${taskId} was done at attempt ${attempt}, told of ${countOf(reports, "earlier failure")}`,
      })),
    };
  },
};
