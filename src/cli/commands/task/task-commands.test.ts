import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, twoTasks } from "../../../../test/command-folder.ts";
import { runCommand } from "../../../../test/run-command.ts";
import { depend, split } from "./arrange.ts";
import { done, fail, skip } from "./close.ts";
import { add, edit } from "./edit.ts";
import { command as list } from "./list.ts";
import { command as next } from "./next.ts";
import { command as reset } from "./reset.ts";
import { command as show } from "./show.ts";
import { command as tree } from "./tree.ts";

test("TASK-3: add takes every field, show tells them", async () => {
  const folder = newFolder();
  await folder.run(add, "Epic", "--id", "epic");
  await folder.run(
    add,
    "Parse dates",
    ...["--id", "dates", "--parent", "epic", "-d", "one\ntwo", "-p", "critical", "--tag", "x", "--tag", "y"],
    ...["--file", "src/a.ts", "--accept", "leap years", "--verify", "npm test"],
    ...["--allow-no-change", "--allow-red"],
  );
  expect(await folder.json(show, "dates")).toMatchObject({
    parentId: "epic",
    title: "Parse dates",
    description: "one\ntwo",
    priority: 0,
    tags: ["x", "y"],
    files: ["src/a.ts"],
    acceptance: ["leap years"],
    verification: [{ run: "npm test", timeoutMs: null }],
    allowNoChange: true,
    allowRed: true,
    attempts: 0,
  });
  const text = await folder.run(show, "dates");
  for (const part of [
    "dates  Parse dates",
    "critical",
    "npm test",
    "red start   allowed",
    "  two",
    "- leap years",
    "○ pending epic Epic",
  ]) {
    expect(text).toContain(part);
  }
  const first = await runCommand(add, ["Drawn id"], folder);
  expect(first.out).toMatch(/^added t-[0-9a-f]{6} Drawn id$/);
  expect(first.note).toBe("hint: run `ralph run`");
});

test("TASK-3: the list does not suggest itself for blocked tasks", async () => {
  const folder = newFolder();
  await folder.run(add, "Only one", "--id", "one");
  await folder.run(skip, "one");
  const { note } = await runCommand(list, [], folder);
  expect(note).toBe("hint: run `ralph task retry one` to reopen a blocked task");
});

test("TASK-3: a description can be read from a file", async () => {
  const folder = newFolder();
  writeFileSync(join(folder.cwd, "spec.md"), "# Spec\n");
  await folder.run(add, "From a file", "--id", "f", "--description-file", "spec.md");
  expect(await folder.json(show, "f")).toMatchObject({ description: "# Spec\n" });
  const missing = folder.run(add, "X", "--description-file", "gone.md");
  await expect(missing).rejects.toMatchObject({ code: "RALPH_TASK_FILE" });
});

test("IF-3: list --json is an array of these fields", async () => {
  const folder = await twoTasks();
  expect(await folder.json(list)).toEqual([
    {
      id: "a",
      title: "Parse dates",
      status: "pending",
      priority: 1,
      parentId: null,
      blockedBy: [],
      attempts: 0,
    },
    {
      id: "b",
      title: "Document dates",
      status: "pending",
      priority: 2,
      parentId: null,
      blockedBy: ["a"],
      attempts: 0,
    },
  ]);
  expect(await folder.json(list, "--status", "done")).toEqual([]);
});

test("TASK-3: list is a table with a sign and a word for each status, and a total", async () => {
  const folder = await twoTasks();
  await folder.run(fail, "a", "--reason", "the API is gone");
  expect(await folder.run(list)).toBe(
    [
      "STATUS         ID  PRIORITY  TRIES  TITLE",
      "✗ failed       a   high             Parse dates — the API is gone",
      "⊘ blocked      b   medium           Document dates — a failed: the API is gone",
      "2 tasks: 1 blocked, 1 failed",
    ].join("\n"),
  );
});

test("TASK-7: lines of list and tree stay within the terminal", async () => {
  const folder = newFolder();
  await folder.run(add, "long ".repeat(90), "--id", "a");
  await folder
    .run(add, "also ".repeat(90), "--id", "b", "--after", "a", "--parent", "a")
    .catch(() => undefined);
  await folder.run(add, "also ".repeat(90), "--id", "c", "--after", "a");
  for (const spec of [list, tree]) {
    const { out } = await runCommand(spec, [], { cwd: folder.cwd, columns: 72 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(72);
    expect(out).toContain("…");
  }
});

test("TRUST-7: what tasks say reaches the screen without control characters", async () => {
  const folder = newFolder();
  const evil = "a\u001b[31mb\u009b1mc\u202ed\re\u0007";
  await folder.run(add, evil, "--id", "e", "-d", evil, "--tag", evil, "--accept", evil, "--verify", evil);
  await folder.run(fail, "e", "--reason", evil);
  for (const [spec, words] of [
    [list, []],
    [tree, []],
    [show, ["e"]],
    [list, ["--json"]],
    [show, ["e", "--json"]],
    [reset, ["e"]],
    [next, []],
  ] as const) {
    const { out, note } = await runCommand(spec, words, folder);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out + note).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});

test("TASK-3: edit changes what is given, clears what is named, and leaves the rest", async () => {
  const folder = newFolder();
  await folder.run(add, "Old", "--id", "a", "--tag", "x", "-d", "keep");
  await folder.run(edit, "a", "--title", "New", "--clear", "tags", "-p", "low");
  expect(await folder.json(show, "a")).toMatchObject({
    title: "New",
    tags: [],
    description: "keep",
    priority: 3,
  });
  await expect(folder.run(edit, "a")).rejects.toMatchObject({ code: "RALPH_USAGE" });
  await expect(folder.run(edit, "a", "-p", "hihg")).rejects.toMatchObject({ hint: "did you mean high?" });
  await expect(folder.run(edit, "a", "--clear", "titel")).rejects.toMatchObject({ code: "RALPH_USAGE" });
});

test("TASK-3: depend adds and removes, next follows", async () => {
  const folder = await twoTasks();
  expect(await folder.run(next)).toBe("a Parse dates");
  await expect(folder.run(depend, "a", "b")).rejects.toMatchObject({ code: "RALPH_TASK_CYCLE" });
  expect(await folder.run(depend, "b", "a", "--remove")).toBe("b waits for nothing");
  expect(await folder.run(depend, "a", "b")).toBe("a waits for b");
  expect(await folder.json(next)).toMatchObject({ id: "b" });
});

test("TASK-3: done, reset and fail say what they pull along", async () => {
  const folder = await twoTasks();
  expect(await folder.run(done, "a")).toBe("done a Parse dates; ready now: b");
  expect(await folder.run(done, "b")).toBe("done b Document dates");
  expect(await folder.run(next)).toBe("");
  expect(await folder.json(next)).toBeNull();
  expect((await runCommand(next, [], folder)).note).toContain("all tasks are done");
  expect(await folder.run(reset, "a", "b")).toBe("reset a Parse dates\nreset b Document dates");
  expect(await folder.run(fail, "a")).toBe("failed a Parse dates; also blocked: b");
  expect(await folder.run(reset, "b")).toContain("still blocked: a failed: marked as failed by a person");
  expect(await folder.run(reset, "a")).toBe("reset a Parse dates; also reopened: b");
});

test("TASK-3: split and tree", async () => {
  const folder = await twoTasks();
  const [one, two] = (await folder.json(split, "a", "first", "second")) as { id: string }[];
  expect(await folder.run(tree)).toBe(
    [
      "○ pending a Parse dates (0/2)",
      `├─ ○ pending ${one?.id} first`,
      `└─ ○ pending ${two?.id} second`,
      "○ pending b Document dates",
    ].join("\n"),
  );
  expect(await folder.json(tree, "a")).toMatchObject([{ id: "a", depth: 0 }, { depth: 1 }, { depth: 1 }]);
  await folder.run(done, one?.id ?? "");
  expect(await folder.run(done, two?.id ?? "")).toContain("also done: a; ready now: b");
});

test("UX-4: outside a project, and where no task is yet, it says what to do", async () => {
  const folder = newFolder();
  await expect(folder.run(list)).rejects.toMatchObject({ code: "RALPH_STORE_MISSING" });
  expect(existsSync(join(folder.cwd, ".ralph", "progress.db"))).toBe(false);
});

test("UX-4: a list of tasks that is empty by its filter says so", async () => {
  const folder = await twoTasks();
  const { out, note } = await runCommand(list, ["--tag", "nope", "--status", "pending"], folder);
  expect(out).toBe('no tasks with --status pending, --tag "nope"');
  expect(note).toBe("hint: run `ralph task list` to see all tasks");
  expect(await folder.run(list, "--status", "done")).toBe("no tasks with --status done");
});
