import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workThrough } from "../inputs/work-through.ts";

const fixture = readFileSync(join(import.meta.dirname, "../fixtures/tasks/openspec-tasks.md"), "utf8");

const isLong = process.env["RALPH_TEST_INPUTS"] !== undefined;

/** The list with open items only in its first `open` parts; the later ones are ticked. */
function openIn(open: number): string {
  const parts = fixture.split(/^(?=## )/m);
  const tick = (part: string, at: number): string =>
    at < open ? part.replaceAll("- [x]", "- [ ]") : part.replaceAll("- [ ]", "- [x]");
  return parts.map(tick).join("");
}

test("TASK-4 TASK-5 LOOP-1 FAIL-4: a real-sized OpenSpec list is worked through, and the file ends ticked and otherwise unchanged", async () => {
  const unticked = openIn(isLong ? 99 : 2);
  const result = await workThrough("tasks.md", unticked);
  try {
    expect(result.exitCode).toBe(0);
    expect(result.tasks.filter(({ status }) => status !== "done")).toEqual([]);
    const open = unticked.match(/^- \[ \]/gm)?.length;
    expect(result.worked).toHaveLength(open ?? 0);
    expect(result.failedFirst).toHaveLength(Math.floor((open ?? 0) / 3));
    expect(result.blindRetries).toEqual([]);
    expect(result.uncommitted).toEqual([]);
    expect(result.project.read("tasks.md")).toBe(unticked.replaceAll("- [ ]", "- [x]"));
    expect(result.project.git("status", "--porcelain")).toBe("");
  } finally {
    result.project.remove();
  }
}, 180_000);
