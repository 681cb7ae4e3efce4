import { expect, test } from "vitest";
import { hivemindLines } from "./hivemind-lines.ts";

test("UX-3: on a narrow terminal the state of the hivemind wraps to the column of its text", () => {
  const time = "2026-03-01T10:00:00.000Z";
  const status = {
    ...{ store: "/x", records: 3, projects: 2, shared: 1, pending: 0, problem: null },
    ...{ succeededAt: time, failedAt: time, error: null, skippedUntil: null },
  };
  const lines = hivemindLines(status, 40).flatMap((line) => line.split("\n"));
  expect(lines[0]).toBe("hivemind 3 records of 2 projects");
  expect(lines[1]).toMatch(/^hivemind last success 2026/);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines.slice(2)) expect(line).toMatch(/^ {9}\S/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
});
