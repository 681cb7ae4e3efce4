import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { record } from "../../events/event-store.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import { addTask } from "../../tasks/graph/task-graph.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";

test("CTX-1: a prompt has the last five events about tasks, and the end of PROGRESS.md", async () => {
  const db = await openTempStore();
  const now = memorySetup.now();
  await db.transaction(async (tx) => {
    for (const id of ["t-1", "t-2"]) await addTask(tx, { task: { id, title: id }, after: [] }, now);
    await recordOutcome(tx, sampleOutcome({ taskId: "t-2" }));
    for (let n = 1; n <= 8; n += 1)
      await record(tx, { type: "story_complete", data: { storyId: `s-${n}` } }, now);
    await record(tx, { type: "note.added" }, now);
  });
  const root = mkdtempSync(join(tmpdir(), "ralph-context-"));
  writeFileSync(join(root, "PROGRESS.md"), `${"old\n".repeat(5000)}${"x".repeat(900)}\n`);
  const memory = openMemory({ ...memorySetup, db, root, writesContext: true });
  const task = await requireTask(db, "t-1");
  const request = { task, attempt: 1, runId: "run-1", iteration: 1, seed: "seed-1" };
  const recalled = (await memory.recall(request)).find(({ section }) => section === "structured-context");
  expect(recalled?.heading).toBe("## Structured Context (machine-generated)");
  const events = [4, 5, 6, 7, 8].map((n) => `story_complete s-${n}`).join(", ");
  const end = `- the end of PROGRESS.md:\n${"x".repeat(800)}\n`;
  expect(recalled?.items[0]?.text).toContain(`- last events: ${events}\n${end}`);
  rmSync(root, { recursive: true });
});
