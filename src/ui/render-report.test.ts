import { expect, test } from "vitest";
import type { RunReport } from "../events/run-summary.ts";
import { painter } from "./paint.ts";
import { renderEnd } from "./render-end.ts";
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
  saved: [],
  warnings: [],
  moreWarnings: 0,
  memory: { captured: [], helped: [] },
};

test("LOOP-17: the summary says of no interruption that the run waited for it when it did not", () => {
  const lines = renderReport(report, (_, text) => text, { width: 80, short: false });
  expect(lines.slice(1)).toEqual([
    "  interrupted 2 × rate limit: waited 1m 30s, attempts not counted",
    "              1 × cancelled: attempts not counted",
  ]);
});

test("LOOP-17: the summary says how many tasks were added", () => {
  const lines = renderReport({ ...report, interruptions: [], added: 30 }, (_, text) => text, {
    width: 80,
    short: false,
  });
  expect(lines).toContain("  added       30 tasks: ralph task list");
});

test("LOOP-17: the summary groups warnings, and counts those of which it shows the first ones", () => {
  const kinds = "abcdefghijklmnopqrst".split("");
  const texts = [
    ...[
      "a hook changed src/a.js after verification",
      "a hook changed b.js, c.js and 2 more after verification",
    ],
    ...["1 file that checks read: Makefile", "2 files that checks read: Makefile, tests"],
    ...kinds.map((kind) => `warning ${kind}`),
  ];
  const warnings = texts.map((text, at) => ({
    taskId: `t-${at}`,
    attempt: 1,
    text,
    more: at === 0 ? 10 : 0,
  }));
  const some = { ...report, interruptions: [], warnings, moreWarnings: 2953 };
  const lines = renderReport(some, (_, text) => text, { width: 80, short: true });
  expect(lines.slice(1).map((line) => line.slice(14))).toEqual([
    "t-0 attempt 1: a hook changed src/a.js after verification (and 11",
    "more of this kind)",
    "t-2 attempt 1: 1 file that checks read: Makefile (and 1 more of",
    "this kind)",
    "t-4 attempt 1: warning a",
    `… and ${kinds.length - 1 + 2953} more`,
  ]);
});

test("LOOP-17: on a narrow terminal the models are lines, and no row of a table breaks", () => {
  const model = {
    attempts: 2,
    done: 1,
    costUsd: 0.03,
    estimatedUsd: 0,
    durationMs: 2700,
    unpriced: 0,
    givenUpUsd: 0,
  };
  const byModel = [
    { ...model, model: "sonnet" },
    { ...model, model: "a-model-with-a-long-name" },
  ];
  const lines = renderReport({ ...report, interruptions: [], byModel }, (_, text) => text, {
    width: 40,
    short: false,
  });
  expect(lines.slice(lines.findIndex((line) => line.includes("models")))).toEqual([
    "  models      sonnet: 1 of 2 done,",
    "              $0.03, 2.7 s",
    "              a-model-with-a-long-name:",
    "              1 of 2 done, $0.03, 2.7 s",
  ]);
  const table = renderReport({ ...report, interruptions: [], byModel }, (_, text) => text, {
    width: 59,
    short: false,
  });
  expect(table.find((line) => line.includes("models"))).toMatch(/attempts +done +cost +time$/);
});

test("LOOP-17: the end of a night of 32 tasks has at most 20 lines, without an unknown cost or a table of one model", () => {
  const model = { model: "sonnet", attempts: 40, done: 20, costUsd: null, estimatedUsd: 0, unpriced: 40 };
  const ids = Array.from({ length: 32 }, (_, at) => `t-${at}`);
  const reason = "needs a person: 3 attempts failed, the last because verification failed. ".repeat(3);
  const night: RunReport = {
    ...{ ...report, attempts: 40, done: 20, byModel: [{ ...model, durationMs: 1, givenUpUsd: 0 }] },
    commits: ids.map((taskId) => ({ taskId, hash: taskId.padEnd(40, "0"), subject: "Read dates" })),
    warnings: ids.map((taskId) => ({ taskId, attempt: 1, text: `it did ${"x".repeat(200)} ${taskId}` })),
    unchanged: ids.map((taskId) => ({ taskId, why: "it was done before" })),
    memory: {
      captured: [{ what: "learning", count: 30 }],
      helped: ids.map((id) => ({ id, how: `helped ${id}` })),
    },
  };
  const end = {
    ...{
      reason: "stuck",
      exitCode: 4,
      iterations: 40,
      costUsd: null,
      durationMs: 1,
      next: null,
      hint: "see",
    },
    ...{
      tasks: { done: 20, failed: 0, blocked: 12, pending: 0 },
      summary: "stuck",
      report: night,
      jobId: "run-1",
    },
    needs: ids.map((id) => ({ id, title: "Write dates", reason })),
    waiting: ids.map((id) => ({ id, title: "", waitsFor: ["t-1"] })),
  };
  for (const columns of [60, 80, 200]) {
    const lines = renderEnd(end, painter(false), { columns, hints: true }).slice(1);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.join("\n")).not.toMatch(/unknown|models/);
    expect(lines.join("\n")).toContain("… ralph log run-1 shows the rest");
    expect(lines.slice(-2)).toEqual(["  report      ralph report run-1 --html report.html", "hint: see"]);
  }
});
