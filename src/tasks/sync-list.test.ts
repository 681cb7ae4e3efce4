import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import type { Db } from "../store/db.ts";
import { claimTask, releaseClaim } from "./claim-store.ts";
import { importTasks } from "./import-tasks.ts";
import type { Task } from "./task.ts";
import { listTasks, requireTask } from "./task-store.ts";
import { markDone } from "./task-transitions.ts";
import { tickSource } from "./write-back.ts";

const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
let root: string;
let db: Db;
let minute = 0;
const now = (): Date => new Date(Date.UTC(2026, 2, 1, 10, minute++));

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "ralph-sync-"));
  db = await openTempStore();
});
afterEach(async () => {
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

const file = (): string => join(root, "tasks.md");
const write = (text: string): void => writeFileSync(file(), text);
const sync = () => importTasks(db, { projectRoot: root, path: "tasks.md" }, now());

async function attempt(id: string): Promise<void> {
  const claim = await db.transaction((tx) => claimTask(tx, { taskId: id, owner, runId: "r" }, now()));
  if (claim) await db.transaction((tx) => releaseClaim(tx, claim, now()));
}

async function finish(id: string): Promise<void> {
  const { completed } = await db.transaction((tx) => markDone(tx, id, now()));
  for (const task of completed) await tickSource(root, task);
}

interface Item {
  readonly title: string;
  readonly done: boolean;
}

/** Reads the list with a few lines of its own: what a person sees in it. */
function itemsOf(text: string): readonly Item[] {
  return text.split("\n").flatMap((line) => {
    const found = /^- \[([ x])\] (.+)$/.exec(line);
    return found ? [{ done: found[1] === "x", title: found[2] ?? "" }] : [];
  });
}

function textOf(items: readonly Item[]): string {
  return `# List\n\n${items.map(({ title, done }) => `- [${done ? "x" : " "}] ${title}\n`).join("")}`;
}

const isWithdrawn = ({ blockCause, statusReason }: Task): boolean =>
  blockCause === "source" && (statusReason?.startsWith("no longer in") ?? false);

/** The open items of the file, and the store's tasks that a run could work on, in running order. */
async function expectEqual(text: string): Promise<void> {
  const tasks = await listTasks(db);
  const items = itemsOf(text);
  const open = items.filter(({ done }) => !done);
  const workable = tasks.filter((task) => task.status !== "done" && !isWithdrawn(task));
  expect(workable.map(({ title }) => title)).toEqual(open.map(({ title }) => title));
}

const words = ["parser", "printer", "dates", "login", "export", "cache", "docs", "tests", "index", "report"];
const phrase = fc
  .tuple(fc.constantFrom("Add", "Fix", "Remove"), fc.constantFrom(...words), fc.constantFrom(...words))
  .map(([verb, one, two]) => `${verb} the ${one} of ${two}`);
const edit = fc.record({
  kind: fc.constantFrom("add", "rename", "delete", "move", "tick", "attempt", "finish"),
  at: fc.nat(1000),
  to: fc.nat(1000),
  phrase,
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Applies a person's edit. Gives no item a title that is in use or `finished`: `expectEqual` knows items by their titles. */
function edited(
  items: readonly Item[],
  { kind, at, to, phrase }: Edit,
  finished: ReadonlySet<string>,
): readonly Item[] {
  const used = new Set([...finished, ...items.map((one) => one.title)]);
  const unused = (wanted: string): string => (used.has(wanted) ? unused(`${wanted} once more`) : wanted);
  const title = unused(phrase);
  const place = at % Math.max(1, items.length);
  const item = items[place];
  const without = items.filter((_, n) => n !== place);
  switch (kind) {
    case "add":
      return items.toSpliced(place, 0, { title, done: false });
    case "rename":
      // The store keeps the title under which a task was finished.
      return item && !item.done
        ? items.with(place, { ...item, title: unused(`${item.title} again`) })
        : items;
    case "delete":
      return without;
    case "move":
      return item ? without.toSpliced(to % (without.length + 1), 0, { ...item }) : items;
    case "tick":
      return item ? items.with(place, { ...item, done: true }) : items;
    default:
      return items;
  }
}

test("TASK-10: after any edits and any work between them, list and store are equal and no finished work is lost", async () => {
  const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(phrase, { minLength: 2, maxLength: 12 }), rounds, async (titles, all) => {
      await db.transaction((tx) => tx.run("DELETE FROM tasks"));
      write(textOf(titles.map((title) => ({ title, done: false }))));
      await sync();
      const begun = new Set<string>();
      for (const round of all) {
        await work(round, begun);
        const done = (await listTasks(db)).filter(({ status }) => status === "done");
        const titles = new Set(done.map(({ title }) => title));
        const finished = done.map(({ id }) => id);
        let items = itemsOf(readFileSync(file(), "utf8"));
        for (const one of round) items = edited(items, one, titles);
        // A file without a list is another case.
        write(textOf([...items, { title: `Last one of ${++minute}`, done: false }]));
        const before = await listTasks(db);
        const report = await sync();
        await expectEqual(readFileSync(file(), "utf8"));
        await expectKept(finished);
        const ids = new Set((await listTasks(db)).map(({ id }) => id));
        for (const { id } of before) if (!ids.has(id)) expect([id, begun.has(id)]).toEqual([id, false]);
        for (const { id, source } of (await listTasks(db)).filter(isWithdrawn))
          expect([id, source?.path]).toEqual([id, "tasks.md"]);
        expect(report.removed.filter((id) => ids.has(id))).toEqual([]);
        expect(await sync()).toMatchObject({ created: [], updated: [], removed: [] });
      }
    }),
    { numRuns: 25, interruptAfterTimeLimit: 60_000 },
  );
}, 90_000);

async function work(round: readonly Edit[], begun: Set<string>): Promise<void> {
  for (const { kind, at } of round) {
    if (kind !== "attempt" && kind !== "finish") continue;
    const tasks = await listTasks(db);
    const ready = tasks.filter(
      ({ id, status }) =>
        status === "pending" && !tasks.some((t) => t.parentId === id && t.status !== "done"),
    );
    const task = ready[at % Math.max(1, ready.length)];
    if (!task) continue;
    begun.add(task.id);
    await attempt(task.id);
    if (kind === "finish") await finish(task.id);
  }
}

async function expectKept(finished: readonly string[]): Promise<void> {
  for (const id of finished) expect([id, (await requireTask(db, id)).status]).toEqual([id, "done"]);
}
