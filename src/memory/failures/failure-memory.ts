import { count as countOf } from "../../base/text.ts";
import type { PurgePlan } from "../port/kind-commands.ts";
import type { MemoryKind } from "../port/memory-kind.ts";
import { buildReport } from "./build-report.ts";
import {
  countReports,
  countReportsOf,
  deleteReportsOf,
  eraseReports,
  insertReport,
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
      if (outcome.name !== "done") await insertReport(tx, buildReport(outcome), now);
    },
    recall: recallAttempts,
  }),
  deleteOfTask: deleteReportsOf,
  statistics: async (q) => {
    const failureReports = await countReports(q);
    return { json: { failureReports }, lines: [`failure reports  ${failureReports}`] };
  },
  purge: {
    label: "failure report",
    toJson: ({ count }) => ({ failureReports: count }),
    planRun: async (q, runId) => unnamed(await countReportsOf(q, runId)),
    erase: async (tx, _, { runId }) => unnamed(runId === null ? 0 : await eraseReports(tx, runId)),
  },
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

/** Reports have no id of their own: a purge counts them. */
function unnamed(count: number): PurgePlan {
  return { count, erased: [], restored: [] };
}
