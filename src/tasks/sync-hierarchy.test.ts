import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type ListProject, openListProject } from "../../test/task-lists.ts";
import { claimTask, releaseClaim } from "./graph/claim-store.ts";
import { nextTask } from "./graph/next-task.ts";
import type { Task } from "./graph/task.ts";
import { listTasks } from "./graph/task-store.ts";
import { markDone } from "./graph/task-transitions.ts";
import { importTasks, type ListSync, syncLists } from "./import-tasks.ts";
import { tickSource } from "./write-back.ts";

const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
let { root, db } = {} as ListProject;
let minute = 0;
const now = (): Date => new Date(Date.UTC(2026, 2, 1, 10, minute++));

beforeEach(async () => {
  ({ root, db } = await openListProject(now));
});

const path = "tasks.md";
const write = (text: string): void => writeFileSync(join(root, path), text);
const read = (): string => readFileSync(join(root, path), "utf8");

async function first(text: string): Promise<void> {
  write(text);
  await importTasks(db, { projectRoot: root, path }, now());
}

/** Adopts the list, and expects that a second comparison finds no change. */
async function sync(text: string): Promise<ListSync> {
  write(text);
  const [list] = await syncLists(db, { projectRoot: root }, now());
  const [again] = await syncLists(db, { projectRoot: root }, now());
  expect(again?.changes).toEqual([]);
  if (!list) throw new Error("no imported list");
  return list;
}

async function taskOf(title: string): Promise<Task> {
  const [task, ...others] = (await listTasks(db)).filter((one) => one.title === title);
  if (!task || others.length > 0) throw new Error(`${others.length + 1} tasks are called ${title}`);
  return task;
}

async function begin(title: string): Promise<void> {
  const { id: taskId } = await taskOf(title);
  const claim = await db.transaction((tx) => claimTask(tx, { taskId, owner, runId: "r" }, now()));
  if (claim) await db.transaction((tx) => releaseClaim(tx, claim, now()));
}

async function finish(title: string): Promise<void> {
  const { id } = await taskOf(title);
  const { completed } = await db.transaction((tx) => markDone(tx, id, now()));
  for (const task of completed) await tickSource(root, task);
}

const kindsOf = ({ changes }: ListSync): readonly string[] =>
  changes.map(({ kind, title }) => `${kind} ${title}`).toSorted();

test("TASK-10: a parent does not wait for a begun sub-task that was deleted from the list", async () => {
  await first("- [ ] Parent\n  - [ ] One\n  - [ ] Two\n");
  await begin("Two");
  await finish("One");
  const list = await sync("- [ ] Parent\n  - [x] One\n");
  expect(kindsOf(list)).toEqual(["ticked Parent", "withdrawn Two"]);
  expect(list.warnings).toEqual([]);
  expect(await taskOf("Parent")).toMatchObject({ status: "done" });
  expect(await taskOf("Two")).toMatchObject({ status: "blocked", parentId: null });
  const parent = await taskOf("Parent");
  expect(kindsOf(await sync("- [ ] Parent\n  - [x] One\n  - [ ] Two\n"))).toEqual([
    "moved Two",
    "reopened Parent",
    "unblocked Two",
  ]);
  expect(await taskOf("Two")).toMatchObject({ status: "pending", parentId: parent.id });
});

test("TASK-10: a finished task and its parent can change places", async () => {
  await first("- [ ] Outer\n  - [ ] Inner\n- [ ] Other\n");
  await finish("Inner");
  expect(await taskOf("Outer")).toMatchObject({ status: "done" });
  const list = await sync("- [x] Inner\n  - [x] Outer\n- [ ] Other\n");
  expect(kindsOf(list)).toContain("moved Outer");
  const [inner, outer] = [await taskOf("Inner"), await taskOf("Outer")];
  expect([inner.parentId, outer.parentId]).toEqual([null, inner.id]);
  expect([inner.status, outer.status]).toEqual(["done", "done"]);
});

test("TASK-10: a finished task with a new open item below it waits for this item, and so does its parent", async () => {
  await first("- [ ] Top\n  - [ ] Middle\n    - [ ] Leaf\n  - [ ] Last\n");
  await finish("Leaf");
  const list = await sync("- [ ] Top\n  - [x] Middle\n    - [x] Leaf\n    - [ ] More\n  - [ ] Last\n");
  expect(kindsOf(list)).toEqual(["added More", "reopened Middle"]);
  await finish("Last");
  expect(await taskOf("Top")).toMatchObject({ status: "pending" });
  expect(await nextTask(db)).toMatchObject({ title: "More" });
  await finish("More");
  expect(await taskOf("Middle")).toMatchObject({ status: "done" });
  expect(await taskOf("Top")).toMatchObject({ status: "done" });
  expect(read()).not.toContain("[ ]");
});

test("TASK-10: a finished item that was unticked stays done and is reported until it is ticked or retried", async () => {
  await first("- [ ] One\n- [ ] Two\n");
  await finish("One");
  const { id } = await taskOf("One");
  const list = await sync("- [ ] One\n- [ ] Two\n");
  expect(list).toMatchObject({ changes: [], unticked: [{ id, title: "One" }] });
  expect(list.warnings).toEqual([
    `tasks.md: 1 finished task is not ticked (${id} One); run \`ralph task retry ${id}\` to do it again`,
  ]);
  expect(await taskOf("One")).toMatchObject({ status: "done" });
  expect(await sync("- [x] One\n- [ ] Two\n")).toMatchObject({ unticked: [], warnings: [] });
});

test("TASK-10: a finished item that was renamed keeps its task, also beside finished items with its old title", async () => {
  await first("- [ ] Write it\n- [ ] Part\n  - [ ] Write it\n");
  const ids = (await listTasks(db)).map(({ id }) => id);
  for (const id of [ids[0] ?? "", ids[2] ?? ""]) {
    const { completed } = await db.transaction((tx) => markDone(tx, id, now()));
    for (const task of completed) await tickSource(root, task);
  }
  await sync("- [x] Write it again\n- [x] Part\n  - [x] Write it\n- [ ] New\n");
  await sync("- [x] Write it again\n- [ ] New\n");
  const list = await sync("- [ ] New\n- [x] Write it again\n- [x] Write it\n");
  expect(list.unticked).toEqual([]);
  const kept = (await listTasks(db)).filter(({ id }) => ids.includes(id));
  expect(kept.map(({ status }) => status)).toEqual(["done", "done", "done"]);
  expect((await listTasks(db)).find(({ id }) => id === ids[0])?.source?.key).toBe("write it again");
});

test("TASK-10: finishing a task that was deleted from a numbered list ticks no other item", async () => {
  await first("- [ ] 1. One\n- [ ] 2. Two\n- [ ] 3. Three\n");
  await begin("One");
  const { id } = await taskOf("One");
  expect(kindsOf(await sync("- [ ] 1. Two\n- [ ] 2. Three\n"))).toEqual(["withdrawn One"]);
  await finish("One");
  expect(read()).toBe("- [ ] 1. Two\n- [ ] 2. Three\n");
  await finish("Two");
  expect(read()).toBe("- [x] 1. Two\n- [ ] 2. Three\n");
  expect((await taskOf("One")).id).toBe(id);
});

test("TASK-10: a begun item that returns to the list gets its task back", async () => {
  await first("- [ ] One\n- [ ] Two\n");
  await begin("One");
  const { id } = await taskOf("One");
  await sync("- [ ] Two\n");
  expect(kindsOf(await sync("- [ ] One\n- [ ] Two\n"))).toEqual(["unblocked One"]);
  expect(await taskOf("One")).toMatchObject({ id, status: "pending" });
});

test("TASK-11: a heading with the title of an item does not take the item's task", async () => {
  await first("- [ ] Login\n- [ ] Export\n");
  await begin("Login");
  const { id } = await taskOf("Login");
  const list = await sync("## Login\n\n- [ ] Login\n- [ ] Export\n");
  expect(kindsOf(list)).toEqual([]);
  expect(await taskOf("Login")).toMatchObject({ id, status: "pending", parentId: null });
});
