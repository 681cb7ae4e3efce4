import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workThrough } from "../inputs/work-through.ts";

const fixture = readFileSync(join(import.meta.dirname, "../fixtures/tasks/openspec-tasks.md"), "utf8");

test("TASK-4 TASK-5 LOOP-1 FAIL-4: a real-sized OpenSpec list is worked through, and the file ends ticked and otherwise unchanged", async () => {
  const unticked = fixture.replaceAll("- [x]", "- [ ]");
  const result = await workThrough("tasks.md", unticked);
  try {
    expect(result.exitCode).toBe(0);
    expect(result.tasks.filter(({ status }) => status !== "done")).toEqual([]);
    expect(result.worked.length).toBeGreaterThan(30);
    expect(result.failedFirst.length).toBeGreaterThan(8);
    expect(result.blindRetries).toEqual([]);
    expect(result.uncommitted).toEqual([]);
    expect(result.project.read("tasks.md")).toBe(unticked.replaceAll("- [ ]", "- [x]"));
    expect(result.project.git("status", "--porcelain")).toBe("");
  } finally {
    result.project.remove();
  }
}, 180_000);
