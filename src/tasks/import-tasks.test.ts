import { copyFile, mkdir, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type ListProject, openListProject, yamlList as yaml } from "../../test/task-lists.ts";
import { claimTask, releaseClaim } from "./graph/claim-store.ts";
import { nextTask } from "./graph/next-task.ts";
import { addDependency, allDependencies, blockersOf } from "./graph/task-graph.ts";
import { createTask, getTask, listTasks, requireTask, updateTask } from "./graph/task-store.ts";
import { blockTask, completeTask, failTask, markDone } from "./graph/task-transitions.ts";
import { type ImportReport, importTasks } from "./import-tasks.ts";

const fixtures = join(import.meta.dirname, "../../test/fixtures/tasks");
const now = new Date("2026-03-01T10:00:00.000Z");
const change = "openspec/changes/pocket-notes/tasks.md";
const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
let { root, db, put, run } = {} as ListProject;

beforeEach(async () => {
  ({ root, db, put, run } = await openListProject(() => now));
});

const counts = (report: ImportReport): object =>
  Object.fromEntries(
    (["created", "updated", "unchanged", "done", "blocked", "missing"] as const).map((key) => [
      key,
      report[key].length,
    ]),
  );
const statusOf = async (id: string): Promise<string | undefined> => (await getTask(db, id))?.status;
const everything = async (): Promise<object> => ({
  tasks: await db.all("SELECT * FROM tasks ORDER BY id"),
  dependencies: await allDependencies(db),
  outbox: await db.all("SELECT COUNT(*) AS n FROM events"),
});

describe("TASK-4: whole files", () => {
  test("a tasks.yaml goes in as it is written, and once more changes nothing", async () => {
    await copyFile(join(fixtures, "tasks.yaml"), join(root, "tasks.yaml"));
    const first = await run("tasks.yaml");
    expect(first).toMatchObject({ path: "tasks.yaml", format: "tasks-yaml" });
    expect(counts(first)).toEqual({ created: 32, updated: 0, unchanged: 0, done: 7, blocked: 2, missing: 0 });
    expect(first.warnings).toHaveLength(1);

    const byPosition = (await listTasks(db)).toSorted((a, b) => a.position - b.position);
    expect(byPosition.map(({ id }) => id)).toEqual(first.created);
    expect(await blockersOf(db, "RE8")).toEqual(["007", "1.10", "RE1"]);
    expect(await requireTask(db, "ED3")).toMatchObject({
      status: "blocked",
      blockCause: "source",
      statusReason: "The clipboard cannot be read in a sandbox.",
      source: { format: "tasks-yaml", path: "tasks.yaml", key: "ED3" },
    });

    const before = await everything();
    expect(counts(await run("tasks.yaml"))).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 32,
      done: 7,
      blocked: 2,
    });
    expect(await everything()).toEqual(before);
  });

  test("an OpenSpec change: items in the order of the file", async () => {
    await mkdir(join(root, dirname(change)), { recursive: true });
    await copyFile(join(fixtures, "openspec-tasks.md"), join(root, change));
    expect(counts(await run(change))).toMatchObject({ created: 45, done: 12, blocked: 0 });
    expect(await getTask(db, "pocket-notes:1")).toBeUndefined();
    expect(await getTask(db, "pocket-notes:8.10")).toMatchObject({
      status: "pending",
      parentId: null,
    });
    expect((await nextTask(db))?.id).toBe("pocket-notes:3.3");
    expect(counts(await run(change))).toMatchObject({ created: 0, updated: 0, unchanged: 45 });
  });

  test("the same ids in two OpenSpec changes do not meet", async () => {
    const text = "## 1. Story\n- [ ] 1.1 Item\n";
    await run(await put("openspec/changes/a/tasks.md", text));
    await run(await put("openspec/changes/b/tasks.md", text));
    expect((await listTasks(db)).map(({ id }) => id)).toEqual(["a:1.1", "b:1.1"]);
  });

  test("tasks without an id of their own get the same one everywhere", async () => {
    const path = await put("TODO.md", "## Later\n- [ ] Write `docs`\n");
    const { created } = await run(path);
    expect(created.every((id) => /^t-[0-9a-f]{6}$/.test(id))).toBe(true);
    const other = await openListProject(() => now);
    await other.put(path, "## Later\n- [ ] Write `docs`\n");
    expect((await other.run(path)).created).toEqual(created);
  });

  test("ids of six digits that would be the same get longer", async () => {
    const { created } = await run(await put("TODO.md", "- [ ] item 6317\n- [ ] item 6350\n"));
    expect(created).toEqual(["t-9179c4", expect.stringMatching(/^t-9179c4[0-9a-f]{2}$/)]);
  });

  test("the same item in two files is two tasks", async () => {
    await run(await put("a.md", "- [ ] Write tests\n"));
    expect(await run(await put("b.md", "- [ ] Write tests\n"))).toMatchObject({ updated: [], missing: [] });
    expect(await listTasks(db)).toHaveLength(2);
  });

  test("an absolute path, and one through a linked folder, are the same file", async () => {
    const path = await put("plans/TODO.md", "- [ ] a\n");
    await symlink(join(root, "plans"), join(root, "linked"));
    await run(path);
    expect(counts(await run(join(root, path)))).toMatchObject({ created: 0, unchanged: 1 });
    expect(counts(await run("linked/TODO.md"))).toMatchObject({ created: 0, unchanged: 1 });
  });

  test("a file outside the project is imported with a warning that it is not ticked", async () => {
    const inner = join(root, "project");
    await mkdir(inner);
    await put("TODO.md", "- [ ] a\n");
    const report = await importTasks(db, { projectRoot: inner, path: "../TODO.md" }, now);
    expect(report.warnings).toEqual([expect.stringContaining("../TODO.md is outside the project")]);
  });
});

describe("TASK-4: importing again", () => {
  test("edits reach open tasks and tasks blocked by their file", async () => {
    await put(
      "tasks.yaml",
      yaml(
        "{id: a, title: A, blocked: true, blocked_reason: no key}",
        "{id: b, title: B}",
        "{id: c, title: C}",
      ),
    );
    await run("tasks.yaml");
    const entries = [
      "{id: a, title: A2, tags: [x], depends_on: [c]}",
      "{id: b, title: B, deferred: true}",
      "{id: c, title: C}",
    ];
    await put("tasks.yaml", yaml(...entries));
    const report = await run("tasks.yaml");
    expect(report).toMatchObject({ created: [], updated: ["a", "b"], unchanged: ["c"], blocked: ["b"] });
    expect(await getTask(db, "a")).toMatchObject({
      title: "A2",
      tags: ["x"],
      status: "pending",
      statusReason: null,
    });
    expect(await blockersOf(db, "a")).toEqual(["c"]);
    await put(
      "tasks.yaml",
      yaml(...entries).replace("deferred: true", "deferred: true, deferred_reason: later"),
    );
    expect((await run("tasks.yaml")).updated).toEqual(["b"]);
    expect(await getTask(db, "b")).toMatchObject({ status: "blocked", statusReason: "later" });
  });

  test("a task that the file completes becomes done; a done one is neither reopened nor edited", async () => {
    await put("tasks.yaml", yaml("{id: a, title: A}", "{id: b, title: B, completed: true}"));
    await run("tasks.yaml");
    await put("tasks.yaml", yaml("{id: a, title: A, completed: true}", "{id: b, title: Changed}"));
    const report = await run("tasks.yaml");
    expect(report).toMatchObject({ updated: ["a"], unchanged: ["b"], done: ["a", "b"] });
    expect(await getTask(db, "b")).toMatchObject({ title: "B", status: "done" });
  });

  test("a task in progress stays unchanged, with a warning", async () => {
    await put("tasks.yaml", yaml("{id: a, title: A}"));
    await run("tasks.yaml");
    const claim = await db.transaction((tx) => claimTask(tx, { taskId: "a", owner, runId: "r" }, now));
    await put("tasks.yaml", yaml("{id: a, title: A2, completed: true}"));
    const report = await run("tasks.yaml");
    expect(report.unchanged).toEqual(["a"]);
    expect(report.warnings).toEqual([expect.stringContaining("a is in progress and was not changed")]);
    expect(await getTask(db, "a")).toMatchObject({ title: "A", status: "in_progress" });
    if (!claim) throw new Error("not claimed");
    expect((await db.transaction((tx) => completeTask(tx, claim, now)))?.completed).toHaveLength(1);
  });

  test("TASK-10: what is gone from the file is removed, or blocked if it was begun; finished tasks and other files stay", async () => {
    await put(
      "tasks.yaml",
      yaml("{id: a, title: A}", "{id: b, title: B}", "{id: c, title: C, completed: true}"),
    );
    await run("tasks.yaml");
    await run(await put("TODO.md", "- [ ] other\n"));
    await put("tasks.yaml", yaml("{id: b, title: B}"));
    expect(await run("tasks.yaml")).toMatchObject({ removed: ["a"], missing: [] });
    expect(await statusOf("a")).toBeUndefined();
    expect(await statusOf("c")).toBe("done");
    const claim = await db.transaction((tx) => claimTask(tx, { taskId: "b", owner, runId: "r" }, now));
    if (claim) await db.transaction((tx) => releaseClaim(tx, claim, now));
    await put("tasks.yaml", yaml("{id: d, title: D}"));
    expect(await run("tasks.yaml")).toMatchObject({ removed: [], missing: ["b"] });
    expect(await getTask(db, "b")).toMatchObject({
      status: "blocked",
      statusReason: "no longer in tasks.yaml",
    });
    await put("tasks.yaml", yaml("{id: d, title: D}", "{id: b, title: B}"));
    await run("tasks.yaml");
    expect(await statusOf("b")).toBe("pending");
    expect(await listTasks(db)).toHaveLength(4);
  });

  test("other reasons to be blocked, and failures, outlast what the file says", async () => {
    await put("tasks.yaml", yaml("{id: a, title: A}", "{id: b, title: B}"));
    await run("tasks.yaml");
    await db.transaction((tx) => blockTask(tx, "a", { cause: "attempts", reason: "5 attempts" }, now));
    await db.transaction((tx) => failTask(tx, "b", "no", now));
    await put("tasks.yaml", yaml("{id: a, title: A2, blocked: true}", "{id: b, title: B2, blocked: true}"));
    await run("tasks.yaml");
    expect(await getTask(db, "a")).toMatchObject({
      title: "A2",
      blockCause: "attempts",
      statusReason: "5 attempts",
    });
    expect(await getTask(db, "b")).toMatchObject({ title: "B2", status: "failed" });
    await put("tasks.yaml", yaml("{id: a, title: A2}", "{id: b, title: B2}"));
    expect(await run("tasks.yaml")).toMatchObject({ updated: [], blocked: ["a"] });
    await put("tasks.yaml", yaml("{id: a, title: A, completed: true}", "{id: b, title: B, completed: true}"));
    expect((await run("tasks.yaml")).done).toEqual(["a", "b"]);
  });

  test("dependencies within the file are the file's, others are a person's", async () => {
    await db.transaction((tx) => createTask(tx, { id: "hand", title: "By hand" }, now));
    await put("tasks.yaml", yaml("{id: a, title: A, depends_on: [b, hand]}", "{id: b, title: B}"));
    await run("tasks.yaml");
    expect(await blockersOf(db, "a")).toEqual(["b", "hand"]);
    await put("tasks.yaml", yaml("{id: a, title: A}", "{id: b, title: B, depends_on: [a]}"));
    expect((await run("tasks.yaml")).updated).toEqual(["a", "b"]);
    expect(await blockersOf(db, "a")).toEqual(["hand"]);
    expect(await blockersOf(db, "b")).toEqual(["a"]);
  });

  test("what a checklist cannot say stays as a person set it", async () => {
    const { created } = await run(await put("TODO.md", "- [ ] a\n- [ ] b\n"));
    const [a = "", b = ""] = created;
    await db.transaction(async (tx) => {
      await updateTask(
        tx,
        a,
        { priority: 0, tags: ["x"], verification: [{ run: "true", timeoutMs: null }] },
        now,
      );
      await addDependency(tx, { taskId: b, blockerId: a }, now);
    });
    expect(counts(await run(await put("TODO.md", "- [ ] a\n  more\n- [ ] b\n\n  text\n")))).toMatchObject({
      created: 0,
      updated: 2,
    });
    expect(await getTask(db, a)).toMatchObject({ priority: 0, tags: ["x"], verification: [{ run: "true" }] });
    expect(await blockersOf(db, b)).toEqual([a]);
  });

  test("ticking the last items completes their parent", async () => {
    const text = "- [ ] 1. Story\n  - [ ] 1.1 A\n  - [ ] 1.2 B\n- [ ] 2. Next\n  - [ ] 2.1 C\n";
    await run(await put("TODO.md", text));
    const report = await run(await put("TODO.md", text.replaceAll("- [ ] 1", "- [x] 1")));
    expect(report).toMatchObject({ updated: ["1", "1.1", "1.2"], done: ["1", "1.1", "1.2"], warnings: [] });
  });

  test("a parent that a person split stays open until its children are done", async () => {
    await run(await put("TODO.md", "- [ ] 1. A\n  - [ ] 1.1 B\n"));
    await db.transaction((tx) => createTask(tx, { id: "extra", title: "Extra", parentId: "1" }, now));
    const report = await run(await put("TODO.md", "- [ ] 1. A\n  - [x] 1.1 B\n"));
    expect(report).toMatchObject({
      updated: ["1.1"],
      warnings: [expect.stringContaining("TODO.md:1: 1 is marked as done but has unfinished children")],
    });
    await db.transaction((tx) => markDone(tx, "extra", now));
    expect(await statusOf("1")).toBe("done");
  });

  test("a file that was moved keeps its tasks", async () => {
    await run(await put("TODO.md", "- [x] a\n- [ ] b\n"));
    await run(await put("tasks.yaml", yaml("{id: y, title: Y}")));
    await mkdir(join(root, "docs"));
    await rename(join(root, "TODO.md"), join(root, "docs/TODO.md"));
    await rename(join(root, "tasks.yaml"), join(root, "plan.yaml"));
    const report = await run("docs/TODO.md");
    expect(counts(report)).toMatchObject({ created: 0, updated: 2, missing: 0 });
    expect(await run("plan.yaml")).toMatchObject({ created: [], updated: ["y"] });
    for (const task of await listTasks(db))
      expect(task.source?.path).toMatch(/^(docs\/TODO\.md|plan\.yaml)$/);
    expect(counts(await run("docs/TODO.md"))).toMatchObject({ unchanged: 2 });
  });
});
