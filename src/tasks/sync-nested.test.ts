import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import {
  edit,
  edited,
  itemsOf,
  type ListItem,
  type ListLine,
  linesOf,
  maxDepth,
  phrase,
  textOf,
} from "../../test/edited-list.ts";
import { type ListProject, openListProject } from "../../test/task-lists.ts";
import { variants } from "../../test/test-size.ts";
import type { Tx } from "../store/port/db.ts";
import { claimTask, releaseClaim } from "./graph/claim-store.ts";
import type { Task } from "./graph/task.ts";
import { listTasks } from "./graph/task-store.ts";
import { blockTask, failTask, markDone, resetTask, retryTask } from "./graph/task-transitions.ts";
import { markdown } from "./import/formats/markdown.ts";
import { importTasks, type ListSync, syncLists } from "./import-tasks.ts";
import { tickSource, untickSource } from "./write-back.ts";

const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
let { root, db } = {} as ListProject;
let minute = 0;
const now = (): Date => new Date(Date.UTC(2026, 2, 1, 10, minute++));

beforeEach(async () => {
  ({ root, db } = await openListProject(now));
});

const read = (): readonly ListLine[] => linesOf(readFileSync(join(root, "tasks.md"), "utf8"));
const write = (lines: readonly ListLine[], style: { readonly numbered: boolean }): void =>
  writeFileSync(join(root, "tasks.md"), textOf(lines, style));

async function sync(): Promise<ListSync> {
  const [list] = await syncLists(db, { projectRoot: root }, now());
  if (!list) throw new Error("no imported list");
  return list;
}

const actions = ["begin", "finish", "finish", "skip", "fail", "retry"] as const;

/** The steps of a run or a person between two edits. */
async function act(task: Task, what: (typeof actions)[number]): Promise<void> {
  const { id, status } = task;
  const write = <T>(change: (tx: Tx) => Promise<T>): Promise<T> => db.transaction(change);
  if (what === "skip" && status === "pending")
    await write((tx) => blockTask(tx, id, { cause: "person", reason: "skipped" }, now()));
  if (what === "fail" && status !== "done") await write((tx) => failTask(tx, id, "given up", now()));
  if (what === "retry" && isListed(task)) {
    const { reopened } = await write((tx) => retryTask(tx, id, now(), 0));
    for (const one of [task, ...reopened]) await untickSource(root, one);
  }
  if (what !== "begin" && what !== "finish") return;
  const claim = await write((tx) => claimTask(tx, { taskId: id, owner, runId: "r" }, now()));
  if (claim) await write((tx) => releaseClaim(tx, claim, now()));
  if (what === "begin") return;
  const { completed } = await write((tx) => markDone(tx, id, now()));
  for (const one of completed) await tickSource(root, one);
}

const isWithdrawn = ({ blockCause, statusReason }: Task): boolean =>
  blockCause === "source" && (statusReason?.startsWith("no longer in") ?? false);
const isListed = (task: Task): boolean =>
  !isWithdrawn(task) && !(task.source?.key ?? "").endsWith(` ~${task.id}`);

function readyOf(tasks: readonly Task[]): readonly Task[] {
  const waits = new Set(tasks.filter(({ status }) => status !== "done").map(({ parentId }) => parentId));
  return tasks.filter(({ id, status }) => status === "pending" && !waits.has(id));
}

/** Each item has one task with its title, place, parent, description and state. */
async function expectEqual(items: readonly ListItem[], { unticked }: ListSync): Promise<void> {
  const listed = (await listTasks(db)).filter(isListed);
  const text = readFileSync(join(root, "tasks.md"), "utf8");
  const keys = markdown.parse({ path: "tasks.md", text }).tasks.map(({ key }) => key);
  expect(listed.map(({ source }) => source?.key).toSorted()).toEqual(keys.toSorted());
  const byKey = new Map(listed.map((task) => [task.source?.key, task]));
  const tasks = keys.flatMap((key) => byKey.get(key) ?? []);
  const reported = new Set(unticked.map(({ id }) => id));
  for (const [at, item] of items.entries()) {
    const task = tasks[at];
    if (task?.status === "done") {
      const waits = tasks.some((one, n) => items[n]?.parent === at && one.status !== "done");
      const isKnown = item.finished || (item.done && !item.isLeaf) || reported.has(task.id);
      expect([item.title, isKnown, waits]).toEqual([item.title, true, false]);
      continue;
    }
    const parentId = item.parent === undefined ? null : tasks[item.parent]?.id;
    const { title, note: description } = item;
    expect([item.finished, task]).toMatchObject([false, { title, description, parentId }]);
  }
  for (const { title } of unticked) expect(items.filter((item) => item.title === title)).toHaveLength(1);
  // Below 0, a person put it first.
  const open = ({ status, position }: Task): boolean => status !== "done" && position >= 0;
  expect(listed.filter(open).map(({ id }) => id)).toEqual(tasks.filter(open).map(({ id }) => id));
}

/** A finished task stays finished unless it is reported, and only tasks without work are removed. */
async function expectKept(
  before: readonly Task[],
  begun: ReadonlySet<string>,
  list: ListSync,
): Promise<void> {
  const after = new Map((await listTasks(db)).map((task) => [task.id, task]));
  const reopened = list.changes.filter(({ kind }) => kind === "reopened").map(({ id }) => id);
  for (const { id, status } of before) {
    if (status === "done" && !reopened.includes(id))
      expect([id, after.get(id)?.status]).toEqual([id, "done"]);
    if (!after.has(id)) expect([id, begun.has(id)]).toEqual([id, false]);
  }
}

/** A file without an item is another case. */
function withItem(lines: readonly ListLine[]): readonly ListLine[] {
  const last: ListLine = { kind: "item", depth: 0, title: "Last", done: false, note: "" };
  return lines.some(({ kind }) => kind === "item") ? lines : [...lines, last];
}

/** Finishing all listed tasks ticks all items but those that are reported, and leaves nothing to adopt in them. */
async function expectFinishable(): Promise<void> {
  const stopped = ({ status }: Task): boolean => status === "blocked" || status === "failed";
  for (const { id } of (await listTasks(db)).filter((task) => isListed(task) && stopped(task)))
    await db.transaction((tx) => resetTask(tx, id, now(), 0));
  for (let [task] = readyOf(await listTasks(db)); task; [task] = readyOf(await listTasks(db)))
    await act(task, "finish");
  const { changes, unticked } = await sync();
  const listed = (await listTasks(db)).filter(isListed);
  expect(changes.filter(({ id }) => listed.some((task) => task.id === id))).toEqual([]);
  const open = itemsOf(read()).filter(({ done, isLeaf }) => isLeaf && !done);
  const reported = new Set(unticked.map(({ title }) => title));
  expect(open.filter(({ title }) => !reported.has(title))).toEqual([]);
  expect(listed.filter(({ status }) => status !== "done")).toEqual([]);
}

interface Work {
  readonly at: number;
  readonly what: (typeof actions)[number];
}

async function workOn({ at, what }: Work, begun: Set<string>): Promise<void> {
  const isRun = what === "begin" || what === "finish";
  const all = await listTasks(db);
  const some = isRun ? readyOf(all) : all;
  const task = some[at % Math.max(1, some.length)];
  if (!task) return;
  if (isRun) begun.add(task.id);
  await act(task, what);
}

const item: fc.Arbitrary<ListLine> = fc.record({
  kind: fc.constant("item" as const),
  depth: fc.nat(maxDepth),
  title: phrase,
  done: fc.constant(false),
  note: fc.constant(""),
});
const step = fc.record({
  works: fc.array(fc.record({ at: fc.nat(60), what: fc.constantFrom(...actions) }), { maxLength: 3 }),
  edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
});

test.each(
  variants(
    [
      { list: "nested", numbered: false },
      { list: "numbered", numbered: true },
    ],
    1,
  ),
)(
  "TASK-10: after any edits of a $list list, each item has one task, and finishing the tasks ticks the items",
  async (style) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 2, maxLength: 10 }),
        fc.array(step, { minLength: 1, maxLength: 4 }),
        async (lines, steps) => {
          await db.transaction((tx) => tx.run("DELETE FROM tasks"));
          await db.transaction((tx) => tx.run("DELETE FROM task_logs"));
          write(lines, style);
          await importTasks(db, { projectRoot: root, path: "tasks.md" }, now());
          const begun = new Set<string>();
          for (const { works, edits } of steps) {
            for (const one of works) await workOn(one, begun);
            const before = await listTasks(db);
            write(withItem(edits.reduce(edited, read())), style);
            const list = await sync();
            await expectEqual(itemsOf(read()), list);
            await expectKept(before, begun, list);
            expect((await sync()).changes).toEqual([]);
          }
          await expectFinishable();
        },
      ),
      { numRuns: 40, interruptAfterTimeLimit: 60_000 },
    );
  },
);
