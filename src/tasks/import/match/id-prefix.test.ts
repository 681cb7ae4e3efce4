import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type ListProject, openListProject } from "../../../../test/task-lists.ts";
import { blockersOf } from "../../graph/task-graph.ts";
import { requireTask } from "../../graph/task-store.ts";
import type { ImportReport } from "../../import-tasks.ts";
import { tickSource } from "../../write-back.ts";

let { root, db, ...project } = {} as ListProject;

beforeEach(async () => {
  ({ root, db, ...project } = await openListProject(() => new Date("2026-03-01T10:00:00Z")));
});

async function run(path: string, text?: string): Promise<ImportReport> {
  if (text !== undefined) await project.put(path, text);
  return project.run(path);
}

const checklist = "- [ ] 1. Build\n  - [ ] 1.1 Parse\n  - [ ] 1.2 Print\n";

test("TASK-4: two checklists with the same numbers are both imported, the second under its name", async () => {
  expect((await run("api.md", checklist)).created).toEqual(["1", "1.1", "1.2"]);
  const second = await run("web.md", checklist);
  expect(second.created).toEqual(["web:1", "web:1.1", "web:1.2"]);
  expect(second.warnings).toEqual([
    "web.md: the id 1 belongs to api.md; ids from this file begin with web: (web:1)",
  ]);
  expect(await requireTask(db, "web:1.2")).toMatchObject({
    parentId: "web:1",
    source: { path: "web.md", key: "1.2" },
  });
  expect(await requireTask(db, "1.2")).toMatchObject({ source: { path: "api.md" } });

  const again = await run("web.md");
  expect([again.created, again.unchanged, again.warnings]).toEqual([[], second.created, []]);
  expect((await run("api.md")).unchanged).toEqual(["1", "1.1", "1.2"]);

  // A new item of a list that has a prefix gets it too, though its own number is free.
  expect((await run("web.md", `${checklist}- [ ] 7. Ship\n`)).created).toEqual(["web:7"]);
  await tickSource(root, await requireTask(db, "web:1.1"));
  expect(readFileSync(join(root, "web.md"), "utf8")).toContain("- [x] 1.1 Parse");
  expect(readFileSync(join(root, "api.md"), "utf8")).toBe(checklist);
});

test("TASK-4: a qualified list keeps its ids when its file moves, and its dependencies are its own", async () => {
  const stories = (title: string): string =>
    JSON.stringify({
      userStories: [
        { id: "US-1", title },
        { id: "US-2", title: "After", dependsOn: ["US-1"] },
      ],
    });
  await run("auth/prd.json", stories("Log in"));
  expect((await run("billing/prd.json", stories("Pay"))).created).toEqual(["billing:US-1", "billing:US-2"]);
  expect(await blockersOf(db, "billing:US-2")).toEqual(["billing:US-1"]);
  mkdirSync(join(root, "moved"));
  renameSync(join(root, "billing/prd.json"), join(root, "moved/prd.json"));
  const moved = await run("moved/prd.json");
  expect([moved.created, moved.updated]).toEqual([[], ["billing:US-1", "billing:US-2"]]);
});

test.each([
  ["a/tasks.yaml", "b/tasks.yaml", "b:x"],
  ["tasks.yaml", "todo.yaml", "todo:x"],
  ["docs/größe.yaml", "größe ändern.yaml", "gr-e-ndern:x"],
  ["a.yaml", "…/….yaml", "list-"],
])("TASK-4: the ids of %s are taken, so those of %s become %s", async (first, second, id) => {
  const list = "tasks:\n  - {id: x, title: X}\n  - {id: y, title: Y}\n";
  await run(first, list);
  expect((await run(second, list)).created[0]).toMatch(new RegExp(`^${id}`));
});

test("TASK-4: one change name in two packages, and a third list of the same name", async () => {
  const of = (name: string): string => `packages/${name}/openspec/changes/add-login/tasks.md`;
  await run(of("web"), checklist);
  expect((await run(of("api"), checklist)).created[1]).toBe("api:add-login:1.1");
  expect((await run(of("lib/api"), checklist)).created[1]).toBe("lib:add-login:1.1");
});
