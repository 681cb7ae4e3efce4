import { writeFileSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type ListProject, openListProject } from "../../test/task-lists.ts";
import { createTask, listTasks, requireTask } from "./graph/task-store.ts";
import { importTasks } from "./import-tasks.ts";
import { readLists, revertTicks, tickSource } from "./write-back.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let { root, db, put, run } = {} as ListProject;

beforeEach(async () => {
  ({ root, db, put, run } = await openListProject(() => now));
});

/** Writes the file and imports it. */
async function imported(path: string, text: string): Promise<void> {
  await put(path, text);
  await run(path);
}
const content = (path: string): Promise<string> => readFile(join(root, path), "utf8");
async function tick(title: string): Promise<unknown> {
  const task = (await listTasks(db)).find((found) => found.title === title);
  return tickSource(root, await requireTask(db, task?.id ?? "nobody"));
}

const checklist = "\uFEFF# Plan  \r\n\r\n- [ ] One \t\r\n* [ ] Two\r\n  1. [ ] Three";

test("TASK-5: a checkbox is ticked, every other byte stays, twice is once", async () => {
  await imported("docs/plan.md", checklist);
  await chmod(join(root, "docs/plan.md"), 0o640);
  expect(await tick("Three")).toMatchObject({ path: "docs/plan.md", changed: true });
  expect(await content("docs/plan.md")).toBe(checklist.replace("[ ] Three", "[x] Three"));
  expect((await stat(join(root, "docs/plan.md"))).mode & 0o777).toBe(0o640);
  expect(await tick("Three")).toMatchObject({ path: "docs/plan.md", changed: false });
  expect(await readdir(join(root, "docs"))).toEqual(["plan.md"]);
});

const asUtf16: Record<string, (text: string) => Buffer> = {
  "little-endian": (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  "big-endian": (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
  "little-endian, no byte order mark": (text) => Buffer.from(text, "utf16le"),
};

test.each(Object.keys(asUtf16))("TASK-5: a list in UTF-16 (%s) stays in it", async (kind) => {
  const bytes = (text: string): Buffer => asUtf16[kind]?.(text) ?? Buffer.of();
  const raw = (path: string): Promise<Buffer> => readFile(join(root, path));
  const text = "- [ ] Größe 👍\r\n- [ ] Two\r\n";
  const list = "tasks:\r\n- title: Grün\r\n  status: todo\r\n";
  await put("TODO.md", bytes(text));
  await put("tasks.yaml", bytes(list));
  await run("TODO.md");
  await run("tasks.yaml");
  await tick("Größe 👍");
  await tick("Grün");
  const ticked = bytes(text.replace("[ ] G", "[x] G"));
  expect(await raw("TODO.md")).toEqual(ticked);
  expect(await raw("tasks.yaml")).toEqual(bytes(list.replace("todo", "done")));
  const before = await readLists(db, root);
  const place = { projectRoot: root, keepIn: join(root, ".ralph/kept") };
  await put("TODO.md", bytes(text.replaceAll("[ ]", "[x]")));
  await revertTicks(db, place, before);
  expect(await raw("TODO.md")).toEqual(ticked);
  await rm(join(root, "TODO.md"));
  await revertTicks(db, place, before);
  expect(await raw("TODO.md")).toEqual(ticked);
});

test("TASK-5: a tasks.yaml entry is completed, every other byte stays", async () => {
  const text = "# tasks\ntasks: # all\n  - id: 007 # seven\n    title: Bond\n\n  - {id: b, title: Q}   \n";
  await imported("tasks.yaml", text);
  expect(await tick("Bond")).toMatchObject({ path: "tasks.yaml", changed: true });
  expect(await tick("Q")).toMatchObject({ path: "tasks.yaml", changed: true });
  const expected = text
    .replace("seven\n", "seven\n    completed: true\n")
    .replace("id: b,", "id: b, completed: true,");
  expect(await content("tasks.yaml")).toBe(expected);
  expect(await tick("Bond")).toMatchObject({ path: "tasks.yaml", changed: false });
});

test("TASK-5: what is ticked in the file is done after the next import", async () => {
  await imported("plan.md", checklist);
  await tick("One");
  const report = await importTasks(db, { projectRoot: root, path: "plan.md" }, now);
  expect(report).toMatchObject({ created: [], done: report.updated, missing: [] });
  expect(report.updated).toHaveLength(1);
});

test("TASK-5: the entry is found in a file that was edited and reordered since", async () => {
  await imported("plan.md", "## A\n- [ ] one\n- [ ] two\n");
  const edited = "New words.\n\n## A\n- [x] zero\n- [ ] two\n  - [ ] more\n- [ ] one\n";
  await writeFile(join(root, "plan.md"), edited);
  expect(await tick("one")).toMatchObject({ path: "plan.md", changed: true });
  expect(await content("plan.md")).toBe(edited.replace("[ ] one", "[x] one"));
});

test("TASK-5: a task whose entry or file is gone, and a task without a file", async () => {
  await imported("plan.md", "## A\n- [ ] one\n- [ ] two\n");
  await writeFile(join(root, "plan.md"), "## A\n- [ ] two\n");
  expect(await tick("one")).toBeUndefined();
  expect(await content("plan.md")).toBe("## A\n- [ ] two\n");
  await rm(join(root, "plan.md"));
  expect(await tick("two")).toBeUndefined();
  await db.transaction((tx) => createTask(tx, { title: "By hand" }, now));
  expect(await tick("By hand")).toBeUndefined();
});

test("TASK-5: a file that became a link is not written through", async () => {
  await imported("plan.md", "- [ ] one\n");
  await rename(join(root, "plan.md"), join(root, "real.md"));
  await symlink("real.md", join(root, "plan.md"));
  await expect(tick("one")).rejects.toMatchObject({ code: "RALPH_PATH_SYMLINK" });
  expect(await content("real.md")).toBe("- [ ] one\n");
  expect((await lstat(join(root, "plan.md"))).isSymbolicLink()).toBe(true);
});

test("TASK-5: a folder that became a link out of the project is not written through", async () => {
  await imported("project/docs/plan.md", "- [ ] one\n");
  const outside = join(root, "outside");
  await mkdir(outside);
  await rename(join(root, "project/docs/plan.md"), join(outside, "plan.md"));
  await rm(join(root, "project/docs"), { recursive: true });
  await symlink(outside, join(root, "project/docs"));
  const [task] = await listTasks(db);
  if (!task?.source) throw new Error("not imported");
  const moved = { ...task, source: { ...task.source, path: "docs/plan.md" } };
  expect(await tickSource(join(root, "project"), moved)).toBeUndefined();
  expect(await readFile(join(outside, "plan.md"), "utf8")).toBe("- [ ] one\n");
});

test("TASK-5: a file that cannot be read any more is told, not overwritten", async () => {
  await imported("tasks.yaml", "tasks:\n  - id: a\n    title: A\n");
  await writeFile(join(root, "tasks.yaml"), "tasks: [\n");
  await expect(tick("A")).rejects.toMatchObject({ code: "RALPH_YAML_INVALID" });
  expect(await content("tasks.yaml")).toBe("tasks: [\n");
});

test("TRUST-12 TASK-10: an agent that ticks a whole list is undone in about the time of one tick", async () => {
  const list = (completed: boolean): string =>
    `tasks:\n${Array.from({ length: 400 }, (_, n) => `  - id: A${n}\n    title: Do ${n}\n    completed: ${completed}\n`).join("")}`;
  await imported("tasks.yaml", list(false));
  const before = await readLists(db, root);
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const one = await timed(() => tick("Do 399"));
  await writeFile(join(root, "tasks.yaml"), `# theirs\n${list(true)}`);
  const all = await timed(() => revertTicks(db, { projectRoot: root, keepIn: join(root, "kept") }, before));
  expect(await content("tasks.yaml")).toBe(`# theirs\n${list(false)}`);
  expect(all).toBeLessThan(20 * one + 500);
});

test("TASK-5: what a person saves while a list is read stays when a task is ticked", async () => {
  await imported("plan.md", "- [ ] One\n- [ ] Two\n");
  const [one] = await listTasks(db);
  if (!one) throw new Error("no task");
  // Reads the file before it returns.
  const ticking = tickSource(root, one);
  writeFileSync(join(root, "plan.md"), "# Mine\n- [ ] One\n- [ ] Two\n");
  expect(await ticking).toMatchObject({ path: "plan.md", changed: true });
  expect(await content("plan.md")).toBe("# Mine\n- [x] One\n- [ ] Two\n");
});

test("TASK-10: what a person saves while ticks are compared stays, or is kept", async () => {
  await imported("plan.md", "- [ ] One\n- [ ] Two\n");
  const before = await readLists(db, root);
  const place = { projectRoot: root, keepIn: join(root, "kept") };
  await writeFile(join(root, "plan.md"), "- [x] One\n- [ ] Two\n");
  const reverting = revertTicks(db, place, before);
  writeFileSync(join(root, "plan.md"), "# Mine\n- [x] One\n- [ ] Two\n");
  expect(await reverting).toHaveLength(1);
  expect(await content("plan.md")).toBe("# Mine\n- [ ] One\n- [ ] Two\n");
});

test("TASK-10: a list that is put back twice is kept twice", async () => {
  const list = "tasks:\n  - {id: A, title: One, completed: false}\n  - {id: B, title: Two}\n";
  await imported("tasks.yaml", list);
  const before = await readLists(db, root);
  const place = { projectRoot: root, keepIn: join(root, "kept") };
  for (const word of ["first", "second"]) {
    const theirs = `tasks:\n  - {id: A, title: One, completed: &t true}\n  - {id: B, title: ${word}, completed: false, notes: *t}\n`;
    await writeFile(join(root, "tasks.yaml"), theirs);
    expect(await revertTicks(db, place, before)).toHaveLength(1);
  }
  const kept = await readdir(join(root, "kept"));
  const texts = await Promise.all(kept.map((name) => content(join("kept", name))));
  expect(texts.sort()).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
});

test("TRUST-12 TASK-10: a list whose ticks cannot be undone alone is put back whole, and its version kept", async () => {
  const list = "tasks:\n  - {id: A, title: One, completed: false}\n  - {id: B, title: Two}\n";
  await imported("tasks.yaml", list);
  const before = await readLists(db, root);
  const theirs =
    "tasks:\n  - {id: A, title: One, completed: &t true}\n  - {id: B, title: Two, completed: false, notes: *t}\n";
  await writeFile(join(root, "tasks.yaml"), theirs);
  const warnings = await revertTicks(db, { projectRoot: root, keepIn: join(root, "kept") }, before);
  expect(warnings).toEqual([expect.stringMatching(/^put back tasks\.yaml: .* in kept$/)]);
  expect(await content("tasks.yaml")).toBe(list);
  expect(await content("kept/tasks.yaml")).toBe(theirs);
});
