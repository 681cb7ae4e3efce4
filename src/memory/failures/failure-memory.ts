import { count as countOf } from "../../base/text.ts";
import type { MemoryKind } from "../memory-kind.ts";
import { buildReport } from "./build-report.ts";
import {
  archiveReports,
  countReportsOf,
  eraseReports,
  insertReport,
  restoreArchivedReports,
  retriesThatSucceeded,
} from "./failure-store.ts";
import instructions from "./instructions.md";
import { recallAttempts } from "./recall-attempts.ts";

/** Reports of failed attempts; a retry's prompt contains those of its task. */
export const failureKind: MemoryKind = {
  name: "failures",
  open: () => ({
    name: "failures",
    instructions,
    capture: async (tx, outcome, now) => {
      if (outcome.name !== "done") await insertReport(tx, buildReport(outcome), outcome.runId, now);
    },
    recall: recallAttempts,
  }),
  archive: { store: archiveReports, restore: restoreArchivedReports },
  purge: { label: "failure report", count: countReportsOf, erase: eraseReports },
  report: async (db, runId) => {
    const count = await countReportsOf(db, runId);
    const retried = await retriesThatSucceeded(db, runId);
    return {
      captured: count > 0 ? [{ what: "failure report", count }] : [],
      helped: retried.map(({ taskId, attempt, reports }) => ({
        id: `failure ${taskId}#${attempt - 1}`,
        how: `${taskId} passed on attempt ${attempt}, with ${countOf(reports, "earlier failure")} in its prompt`,
      })),
    };
  },
};
