import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { createTask, listTasks } from "../../tasks/graph/task-store.ts";
import { importTasks } from "../../tasks/import-tasks.ts";
import { listAround, listIntroduction, openSpecChange } from "./list-around.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "ralph-list-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const list = `---
owner: Ada
---
# The till
<!-- not for agents -->
Prices are whole cents.
Receipts are in Latin.

- [x] Read prices
- [ ] Add the receipt
  - [ ] Lines
  - [ ] Total
- [ ] Print it
`;

test("PROMPT-1: an imported task stands in its list: path, introduction, and the tasks beside it with their commits", async () => {
  const root = folder();
  const db = await openTempStore();
  writeFileSync(join(root, "tasks.md"), list);
  await importTasks(db, { projectRoot: root, path: "tasks.md" }, now);
  const tasks = await listTasks(db);
  const named = (title: string) => tasks.find((task) => task.title === title) ?? expect.fail(title);
  const done = named("Read prices");
  await db.transaction((tx) =>
    tx.run(
      `INSERT INTO pending_commits (iteration_id, task_id, slot, base, paths, message, created_at, commit_hash)
       VALUES ('i-1', ?, 'project', '', '{}', '', ?, '0123456789abcdef')`,
      [done.id, now.toISOString()],
    ),
  );
  expect(await listAround(db, named("Add the receipt"), root)).toEqual({
    path: "tasks.md",
    introduction: "The till: Prices are whole cents. Receipts are in Latin.",
    before: [{ id: done.id, title: "Read prices", status: "done", commit: "0123456789" }],
    after: [{ id: named("Print it").id, title: "Print it", status: "pending", commit: null }],
  });
  const own = JSON.stringify({ own: [{ hash: "fedcba9876543210", subject: "agent: half" }] });
  await db.transaction((tx) => tx.run("UPDATE pending_commits SET base = 'aaaaaaaaaabb', paths = ?", [own]));
  const [several] = (await listAround(db, named("Add the receipt"), root))?.before ?? [];
  expect(several?.commit).toBe("aaaaaaaaaa..0123456789");
  const part = await listAround(db, named("Total"), root);
  expect([part?.before.map(({ title }) => title), part?.after]).toEqual([["Lines"], []]);
  const alone = await db.transaction((tx) => createTask(tx, { title: "Typed by hand" }, now));
  expect(await listAround(db, alone, root)).toBeNull();
});

test("PROMPT-1 TRUST-6: a list without words, a link in its place and another format give no introduction", async () => {
  const root = folder();
  const source = { format: "markdown", path: "tasks.md", key: "k" } as const;
  expect(listIntroduction(root, source)).toBe("");
  writeFileSync(join(root, "tasks.md"), "## 1. Till\n\n- [ ] 1.1 One\n\nLater words.\n");
  expect(listIntroduction(root, source)).toBe("1. Till");
  expect(listIntroduction(root, { ...source, format: "tasks-yaml" })).toBe("");
  symlinkSync("/etc/hostname", join(root, "linked.md"));
  expect(listIntroduction(root, { ...source, path: "linked.md" })).toBe("");
  expect(listIntroduction(root, { ...source, path: "../outside.md" })).toBe("");
});

test("PROMPT-1: a task of an OpenSpec change, and a part of one, has the change's proposal and design, and no link's", async () => {
  const root = folder();
  const db = await openTempStore();
  const change = "openspec/changes/add-tax";
  mkdirSync(join(root, change, "specs/tax"), { recursive: true });
  writeFileSync(join(root, change, "tasks.md"), "- [ ] 1.1 Add the rate\n");
  writeFileSync(join(root, change, "proposal.md"), "## Why\nTax is due.\n");
  writeFileSync(join(root, "secret.md"), "secret");
  symlinkSync(join(root, "secret.md"), join(root, change, "design.md"));
  await importTasks(db, { projectRoot: root, path: join(change, "tasks.md") }, now);
  const [task] = await listTasks(db);
  if (!task) expect.fail("no task");
  const expected = { folder: change, proposal: "## Why\nTax is due.", design: "", specs: true };
  expect(await openSpecChange(db, task, root)).toEqual(expected);
  const part = await db.transaction((tx) => createTask(tx, { title: "A part", parentId: task.id }, now));
  expect(await openSpecChange(db, part, root)).toEqual(expected);
  const other = await db.transaction((tx) => createTask(tx, { title: "Another" }, now));
  expect(await openSpecChange(db, other, root)).toBeNull();
});
