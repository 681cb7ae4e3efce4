import { expect, test } from "vitest";
import type { RunReport } from "../events/run-summary.ts";
import { renderReport } from "./render-report.ts";

const report: RunReport = {
  attempts: 0,
  done: 0,
  agentMs: 0,
  byModel: [],
  interruptions: [
    { kind: "rate_limit", times: 2, waitedMs: 90_000 },
    { kind: "cancelled", times: 1, waitedMs: 0 },
  ],
  commits: [],
  tasks: [],
  unchanged: [],
  added: 0,
  warnings: [],
  moreWarnings: 0,
  memory: { captured: [], helped: [] },
};

test("LOOP-17: the summary says of no interruption that the run waited for it when it did not", () => {
  const lines = renderReport(report, (_, text) => text, 80);
  expect(lines.slice(1)).toEqual([
    "  waited      2 × rate limit: waited 1m 30s, attempts not counted",
    "  interrupted 1 × cancelled: attempts not counted",
  ]);
});

test("LOOP-17: the summary says how many tasks were added", () => {
  const lines = renderReport({ ...report, interruptions: [], added: 30 }, (_, text) => text, 80);
  expect(lines).toContain("  added       30 tasks: ralph task list");
});

test("LOOP-17: the summary counts all warnings of which it shows the first ones", () => {
  const warnings = Array.from({ length: 50 }, (_, at) => ({
    taskId: "t-1",
    attempt: 1,
    text: `warning ${at}`,
  }));
  const some = { ...report, interruptions: [], warnings, moreWarnings: 2953 };
  const lines = renderReport(some, (_, text) => text, 80);
  expect(lines.slice(-2).map((line) => line.trim())).toEqual(["t-1 attempt 1: warning 9", "… and 2993 more"]);
});

test("LOOP-17: on a narrow terminal the models are lines, and no row of a table breaks", () => {
  const model = { attempts: 2, done: 1, costUsd: 0.03, estimatedUsd: 0, durationMs: 2700, unpriced: 0 };
  const byModel = [
    { ...model, model: "sonnet" },
    { ...model, model: "a-model-with-a-long-name" },
  ];
  const lines = renderReport({ ...report, interruptions: [], byModel }, (_, text) => text, 40);
  expect(lines.slice(lines.findIndex((line) => line.includes("models")))).toEqual([
    "  models      sonnet: 1 of 2 done,",
    "              $0.03, 2.7 s",
    "              a-model-with-a-long-name:",
    "              1 of 2 done, $0.03, 2.7 s",
  ]);
  const table = renderReport({ ...report, interruptions: [], byModel }, (_, text) => text, 59);
  expect(table.find((line) => line.includes("models"))).toMatch(/attempts +done +cost +time$/);
});
