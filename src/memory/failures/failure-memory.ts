import { count as countOf } from "../../base/text.ts";
import { counted } from "../port/kind-commands.ts";
import type { MemoryKind } from "../port/memory-kind.ts";
import { buildReport } from "./build-report.ts";
import {
  countReports,
  countReportsOf,
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
    capture: async (tx, { outcome }, now) => {
      if (outcome.name !== "done") await insertReport(tx, buildReport(outcome), now);
    },
    recall: recallAttempts,
  }),
  statistics: async (q) => {
    const failureReports = await countReports(q);
    return { json: { failureReports }, lines: [`failure reports  ${failureReports}`] };
  },
  purge: {
    label: "failure report",
    toJson: ({ count }) => ({ failureReports: count }),
    plan: async (q, { runId }) => counted(runId === null ? 0 : await countReportsOf(q, runId)),
    erase: async (tx, _, { runId }) => counted(runId === null ? 0 : await eraseReports(tx, runId)),
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
