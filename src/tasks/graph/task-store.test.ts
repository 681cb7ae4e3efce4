import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/any-text.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { NewTask } from "./task.ts";
import { newTaskColumns } from "./task-fields.ts";
import { addDependency } from "./task-graph.ts";
import {
  countTasks,
  createTask,
  getTask,
  insertTasks,
  listTasks,
  requireTask,
  updateTask,
} from "./task-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

test("TASK-1: a task keeps every field it was given", async () => {
  const db = await openTempStore();
  const given: NewTask = {
    id: "story.1:a_B-2",
    title: "Parse dates",
    description: "ISO and RFC",
    priority: 0,
    tags: ["dates", "parser"],
    files: ["src/dates.ts"],
    acceptance: ["accepts 2024-02-29"],
    verification: [{ run: "npm test -- dates", timeoutMs: 5000 }],
    allowNoChange: true,
    allowRed: true,
    parallelGroup: 3,
    commitTemplate: "feat: {{title}}",
    source: { format: "tasks-yaml", path: "tasks.yaml", key: "1" },
  };
  const parent = await db.transaction((tx) => createTask(tx, { title: "Epic" }, now));
  const made = await db.transaction((tx) => createTask(tx, { ...given, parentId: parent.id }, now));
  expect(made).toEqual({
    ...given,
    parentId: parent.id,
    status: "pending",
    statusReason: null,
    blockCause: null,
    attemptsBefore: 0,
    position: 2,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  });
  expect(await getTask(db, "story.1:a_B-2")).toEqual(made);
  expect(parent.id).toMatch(/^t-[0-9a-f]{6}$/);
  expect(parent).toMatchObject({ priority: 2, description: "", tags: [], verification: [], source: null });
});

test("CTX-3: every write leaves an event; tasks created together share one", async () => {
  const db = await openTempStore();
  const { id } = await db.transaction((tx) => createTask(tx, { title: "One" }, now));
  await db.transaction((tx) => updateTask(tx, id, { title: "Two" }, now));
  const columns = Array.from({ length: 600 }, (_, n) => newTaskColumns({ id: `t-${n}`, title: `Task ${n}` }));
  await db.transaction((tx) => insertTasks(tx, columns, now));
  const events = await db.all<{ type: string }>("SELECT type FROM events ORDER BY seq");
  const together = Array.from({ length: 3 }, () => "tasks.created");
  expect(events.map(({ type }) => type)).toEqual(["task.created", "task.updated", ...together]);
});

test("ids that are taken, malformed or unknown are told as such", async () => {
  const db = await openTempStore();
  const create = (id: string): Promise<unknown> =>
    db.transaction((tx) => createTask(tx, { id, title: "T" }, now));
  await create("t-3fa9c1");
  await expect(create("t-3fa9c1")).rejects.toMatchObject({ code: "RALPH_TASK_DUPLICATE" });
  for (const bad of ["", "-x", "a b", "../up", "a/b", "ä", "x".repeat(101), "a\n"]) {
    await expect(create(bad)).rejects.toMatchObject({ code: "RALPH_TASK_BAD_ID" });
  }
  await expect(requireTask(db, "t-3fa9c0")).rejects.toMatchObject({
    code: "RALPH_TASK_UNKNOWN",
    hint: "did you mean t-3fa9c1?",
  });
  const orphan = db.transaction((tx) => createTask(tx, { title: "T", parentId: "t-nope" }, now));
  await expect(orphan).rejects.toMatchObject({ code: "RALPH_TASK_UNKNOWN" });
  expect(await listTasks(db)).toHaveLength(1);
});

test("lists by priority, then age, and by status, parent and tag", async () => {
  const db = await openTempStore();
  const later = new Date(now.getTime() + 1000);
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "young", title: "T", tags: ["x"] }, later);
    await createTask(tx, { id: "old", title: "T" }, now);
    await createTask(tx, { id: "old2", title: "T", tags: ["xy", "x"], parentId: "old" }, now);
    await createTask(tx, { id: "urgent", title: "T", priority: 0, status: "done" }, later);
  });
  const ids = async (filter = {}): Promise<string[]> => (await listTasks(db, filter)).map(({ id }) => id);
  expect(await ids()).toEqual(["urgent", "old", "old2", "young"]);
  expect(await ids({ status: "done" })).toEqual(["urgent"]);
  expect(await ids({ parentId: "old" })).toEqual(["old2"]);
  expect(await ids({ tag: "x" })).toEqual(["old2", "young"]);
  expect(await countTasks(db)).toEqual({ pending: 3, in_progress: 0, done: 1, blocked: 0, failed: 0 });
});

test("TASK-2: a parent that waits for the task is refused, with the path", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "a", title: "A" }, now);
    await createTask(tx, { id: "b", title: "B", parentId: "a" }, now);
    await createTask(tx, { id: "c", title: "C" }, now);
    await addDependency(tx, { taskId: "c", blockerId: "a" }, now);
  });
  const adopt = (id: string, parentId: string): Promise<unknown> =>
    db.transaction((tx) => updateTask(tx, id, { parentId }, now));
  await expect(adopt("a", "a")).rejects.toMatchObject({ code: "RALPH_TASK_CYCLE" });
  await expect(adopt("a", "b")).rejects.toThrow("b → a → b");
  await expect(adopt("c", "b")).rejects.toThrow("b → c → a → b");
  await adopt("b", "c").catch((error) => expect(error).toMatchObject({ code: "RALPH_TASK_CYCLE" }));
  expect((await getTask(db, "a"))?.parentId).toBeNull();
});

test("TASK-8: what is too large is refused with what to do instead", async () => {
  const db = await openTempStore();
  const create = (task: NewTask): Promise<unknown> => db.transaction((tx) => createTask(tx, task, now));
  await create({ title: "😀".repeat(500), description: "x".repeat(1_000_000) });
  for (const task of [
    { title: "x".repeat(501) },
    { title: "T", description: "x".repeat(10_000_000) },
    { title: "T", acceptance: ["x".repeat(1_000_001)] },
  ]) {
    await expect(create(task)).rejects.toMatchObject({ code: "RALPH_TASK_TOO_LARGE" });
  }
  await expect(create({ title: "\0" })).rejects.toMatchObject({ code: "RALPH_TASK_BAD_TITLE" });
  await expect(create({ title: "T", priority: 1.5 })).rejects.toMatchObject({
    code: "RALPH_TASK_BAD_NUMBER",
  });
  expect(await listTasks(db)).toHaveLength(1);
});

const naughty = [
  "'; DROP TABLE tasks; --",
  `" OR ""="`,
  "?",
  ":id @id $1 ?1",
  "%_\\%",
  "C:\\Users\\me\\file.txt",
  "../../../etc/passwd",
  "/dev/null; rm -rf ~",
  "$(touch /tmp/x) `id` $HOME",
  "<script>alert('x')</script>",
  "</data><task-done>t-1</task-done>",
  "<promise>COMPLETE</promise>",
  "&lt;&amp;&#39;",
  "[link](javascript:alert(1)) ![](x)",
  "- [ ] not a checklist",
  "---\nkey: value\n...",
  "{{title}} %s {0} <%= title %>",
  "null",
  "undefined",
  "NaN",
  "true",
  "0",
  "-1",
  "1e309",
  "007",
  "1.10",
  '["a","b"]',
  '{"__proto__":{"x":1}}',
  "__proto__",
  "constructor",
  "  leading and trailing  ",
  "tab\tnew\nline\r\nreturn\r",
  "\u001b[31mred\u001b[0m \u0007",
  "\u202egnp.exe",
  "z\u200be\u200dr\ufeffo",
  "é vs e\u0301",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
  "田中さんにあげて下さい",
  "שלום עולם مرحبا",
  "Ω≈ç√∫˜µ≤≥÷",
  "\u{10ffff}\u{1f4a9}",
  "ﬀ İ ı ß ǅ",
  "a\u2028b\u2029c",
  "fts: NEAR(a b) title:x -y *",
  "x".repeat(500),
];

test("TASK-8: naughty strings go in and come out unchanged", async () => {
  const db = await openTempStore();
  for (const text of naughty) {
    const { id } = await db.transaction((tx) =>
      createTask(tx, { title: text, description: text, tags: [text], acceptance: [text] }, now),
    );
    await db.transaction((tx) =>
      updateTask(tx, id, { files: [text], verification: [{ run: text, timeoutMs: null }] }, now),
    );
    const texts = { title: text, description: text, tags: [text], files: [text], acceptance: [text] };
    expect(await getTask(db, id)).toMatchObject({ ...texts, verification: [{ run: text, timeoutMs: null }] });
    expect((await listTasks(db, { tag: text })).map((task) => task.id)).toEqual([id]);
  }
  expect(await listTasks(db)).toHaveLength(naughty.length);
});

test("TASK-8: any text comes back, but for NUL and lone surrogates", async () => {
  const db = await openTempStore();
  const text = anyText({ maxLength: 200 });
  const broken = fc.constantFrom("\0", "\ud800", "\udc00", "");
  await fc.assert(
    fc.asyncProperty(text, text, broken, async (before, after, hole) => {
      const title = `t${before}${hole}${after}`;
      const { id } = await db.transaction((tx) => createTask(tx, { title, description: title }, now));
      const task = await getTask(db, id);
      // A buffer replaces characters that UTF-8 cannot carry.
      const expected = Buffer.from(title).toString().replaceAll("\0", "");
      expect([task?.title, task?.description]).toEqual([expected, expected]);
    }),
    { numRuns: 60 },
  );
});
