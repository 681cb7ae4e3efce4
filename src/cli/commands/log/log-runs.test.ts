import { expect, test } from "vitest";
import { newFolder } from "../../../../test/command-folder.ts";
import { runCommand } from "../../../../test/run-command.ts";
import { openTempStoreAt } from "../../../../test/temp-store.ts";
import { thisOwner } from "../../../agents/supervision.ts";
import { endRun, insertRun } from "../../../loop/rows/run-store.ts";
import { createTask } from "../../../tasks/graph/task-store.ts";
import { failTask } from "../../../tasks/graph/task-transitions.ts";
import { command as log } from "./log.ts";

async function twoRuns() {
  const folder = newFolder();
  const db = await openTempStoreAt(folder.cwd);
  const run = { agent: "claude", strategy: "fixed", model: null, session: null, branch: null };
  const runs = [
    ["run-0123456789", "2026-03-01T10:00:00Z", "agent-unavailable"],
    ["run-abcdef0123", "2026-03-02T10:00:00Z", "done"],
  ] as const;
  await db.transaction(async (tx) => {
    for (const [id, startedAt, reason] of runs) {
      await insertRun(tx, { ...run, id, startedAt, owner: thisOwner() });
      await endRun(tx, { id, endedAt: startedAt, reason, exitCode: 0 });
    }
    await createTask(tx, { id: "t-1", title: "one" }, new Date("2026-03-01T10:00:00Z"));
  });
  return folder;
}

test("UX-3: `ralph log` aligns its columns, the newest run last, and says that its times are UTC", async () => {
  const folder = await twoRuns();
  expect(await folder.run(log)).toBe(
    [
      "2026-03-01 10:00 UTC  run-0123456789  agent-unavailable  0 of 0 done · 0 ms",
      "2026-03-02 10:00 UTC  run-abcdef0123  done               0 of 0 done · 0 ms",
    ].join("\n"),
  );
  expect(await folder.run(log, "run-abcdef0123")).toMatch(/^run-abcdef0123 {2}2026-03-02 10:00 UTC, ended: /);
  const db = await openTempStoreAt(folder.cwd);
  await db.transaction((tx) => failTask(tx, "t-1", "no", new Date()));
  expect(await folder.run(log, "t-1")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}\S/m);
});

test("UX-4: `ralph log --last` takes a positive number, and its help an id as runs have them", async () => {
  const folder = await twoRuns();
  expect(await folder.run(log, "--last", "1")).toMatch(/^2026-03-02.*$/);
  for (const typed of ["x", "-1", "0", "1.5", ""]) {
    await expect(folder.run(log, `--last=${typed}`)).rejects.toMatchObject({
      code: "RALPH_USAGE",
      message: `invalid --last ${JSON.stringify(typed)}: expected a positive integer`,
    });
  }
  const { out } = await runCommand(log, ["--help"], folder);
  expect(out).toMatch(/ralph log run-[0-9a-f]{10} /);
  expect(out.replace(/\s+/g, " ")).toContain("latest runs, the newest last");
});
