import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type ListProject, openListProject, yamlList as yaml } from "../../test/task-lists.ts";
import { allDependencies } from "./graph/task-graph.ts";
import { createTask, getTask } from "./graph/task-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let { root, db, put, run } = {} as ListProject;

beforeEach(async () => {
  ({ root, db, put, run } = await openListProject(() => now));
});

const statusOf = async (id: string): Promise<string | undefined> => (await getTask(db, id))?.status;
const everything = async (): Promise<object> => ({
  tasks: await db.all("SELECT * FROM tasks ORDER BY id"),
  dependencies: await allDependencies(db),
  outbox: await db.all("SELECT COUNT(*) AS n FROM events"),
});

describe("TASK-4: errors change nothing", () => {
  test.each([
    [
      "a duplicate id",
      yaml("{id: a, title: A}", "{id: a, title: B}"),
      "RALPH_IMPORT_DUPLICATE_ID",
      "tasks.yaml:3: duplicate id a: already used in line 2",
    ],
    [
      "an unknown dependency",
      yaml("{id: abc, title: A, depends_on: [abd, xyz]}", "{id: abd, title: B}"),
      "RALPH_IMPORT_UNKNOWN_DEPENDENCY",
      "tasks.yaml:2: task abc depends on unknown task xyz",
    ],
    [
      "a cycle",
      yaml(
        "{id: a, title: A, depends_on: [b]}",
        "{id: b, title: B, depends_on: [c]}",
        "{id: c, title: C, depends_on: [b]}",
      ),
      "RALPH_TASK_CYCLE",
      "tasks.yaml:3: these depend on each other: b → c → b",
    ],
    ["a task that waits for itself", yaml("{id: a, title: A, depends_on: [a]}"), "RALPH_TASK_CYCLE", "a → a"],
    [
      "an id that cannot be one",
      yaml("{id: ok, title: A}", "{id: no spaces, title: B}"),
      "RALPH_TASK_BAD_ID",
      "tasks.yaml:3: ",
    ],
    [
      "a title that is too long",
      yaml("{id: ok, title: A}", `{id: b, title: ${"x".repeat(501)}}`),
      "RALPH_TASK_TOO_LARGE",
      "tasks.yaml:3: ",
    ],
    ["an empty list", "tasks: []\n", "RALPH_IMPORT_EMPTY", "tasks.yaml:1:8"],
    ["broken YAML", "tasks: [\n", "RALPH_YAML_INVALID", "tasks.yaml:"],
  ])("%s", async (_name, text, code, message) => {
    await run(await put("tasks.yaml", yaml("{id: old, title: Old}", "{id: ok, title: Before}")));
    const before = await everything();
    await put("tasks.yaml", text);
    await expect(run("tasks.yaml")).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/./),
    });
    expect(await everything()).toEqual(before);
  });

  test("an id that a person, a tracker or a file that is gone has", async () => {
    await put("b/tasks.yaml", yaml("{id: w, title: W}", "{id: x, title: Other}"));
    await db.transaction((tx) => createTask(tx, { id: "x", title: "By hand" }, now));
    const message = "b/tasks.yaml:3: task x already exists and was not imported from a file";
    await expect(run("b/tasks.yaml")).rejects.toMatchObject({ code: "RALPH_IMPORT_ID_TAKEN", message });
    expect(await statusOf("w")).toBeUndefined();
    const issues = '[{"number": 7, "title": "Seven"}]';
    await run(await put("issues.json", issues));
    await expect(run(await put("later.json", issues))).rejects.toMatchObject({
      message: "later.json:1: task gh-7 already exists and was imported from issues.json",
    });
    await run(await put("old.yaml", yaml("{id: y, title: Old}")));
    await rm(join(root, "old.yaml"));
    await expect(run(await put("new.yaml", yaml("{id: y, title: New}")))).rejects.toMatchObject({
      message: "new.yaml:2: task y already exists and was imported from old.yaml",
    });
  });

  test("a done task of a file that is gone does not stand for an open one of another", async () => {
    await run(await put("old.yaml", yaml("{id: x, title: X, completed: true}")));
    await rm(join(root, "old.yaml"));
    await put("new.yaml", yaml("{id: x, title: X}"));
    await expect(run("new.yaml")).rejects.toMatchObject({ code: "RALPH_IMPORT_ID_TAKEN" });
  });

  test.each([
    ["no file", "none.yaml", undefined, "RALPH_IMPORT_NOT_FOUND"],
    ["a folder", "folder.md", undefined, "RALPH_IMPORT_NOT_A_FILE"],
    ["a device", "/dev/null", "markdown", "RALPH_IMPORT_NOT_A_FILE"],
    ["bytes that are no text", "latin1.md", undefined, "RALPH_IMPORT_NOT_UTF8"],
    ["more than 10 MB", "large.md", undefined, "RALPH_FILE_TOO_LARGE"],
    ["an unknown ending", "tasks.txt", undefined, "RALPH_IMPORT_FORMAT"],
    ["an unknown format", "TODO.md", "xml", "RALPH_IMPORT_FORMAT"],
    ["the wrong format", "TODO.md", "tasks-yaml", "RALPH_YAML_INVALID"],
  ])("%s", async (_name, path, format, code) => {
    await mkdir(join(root, "folder.md"));
    await put("latin1.md", Buffer.from("- [ ] gr\xfcn\n", "latin1"));
    await put("large.md", `- [ ] x\n${" ".repeat(10 * 1024 * 1024)}`);
    await put("tasks.txt", "- [ ] x\n");
    await put("TODO.md", "- [ ] x\n");
    await expect(run(path, format)).rejects.toMatchObject({ code, hint: expect.stringMatching(/./) });
  });

  test("a file of any name with its format given", async () => {
    await put("tasks.txt", "- [ ] x\n");
    expect((await run("tasks.txt", "markdown")).created).toHaveLength(1);
  });
});

test("TASK-8: naughty texts come out as they went in", async () => {
  const title = `'; DROP TABLE tasks;-- <b>&amp; 👩‍👩‍👧 \\u0041 ../../etc "x" ﷽`;
  await put("tasks.yaml", yaml(`{id: a, title: ${JSON.stringify(title)}}`));
  await run("tasks.yaml");
  expect((await getTask(db, "a"))?.title).toBe(title);
  await put("TODO.md", `- [ ] ${title}\n`);
  const { created } = await run("TODO.md");
  expect((await getTask(db, created[0] ?? ""))?.title).toBe(title);
  expect(await run("TODO.md")).toMatchObject({ created: [], unchanged: created });
});
