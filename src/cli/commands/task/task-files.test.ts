import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, twoTasks } from "../../../../test/command-folder.ts";
import { runCommand } from "../../../../test/run-command.ts";
import { repositoryAt } from "../../../../test/temp-repository.ts";
import { split } from "./arrange.ts";
import { done } from "./close.ts";
import { add } from "./edit.ts";
import { command as exportCommand } from "./export.ts";
import { command as importCommand, sync } from "./import.ts";
import { command as list } from "./list.ts";
import { command as next } from "./next.ts";
import { command as reset } from "./reset.ts";
import { command as show } from "./show.ts";

test("TASK-3, TASK-5: import takes a checklist over, done ticks it there", async () => {
  const folder = newFolder();
  const file = join(folder.cwd, "tasks.md");
  writeFileSync(file, "# Plan\n\n- [ ] One\n- [x] Two\n");
  expect(await folder.run(importCommand, "tasks.md")).toBe("imported tasks.md: 2 new tasks (1 done)");
  expect(await folder.run(importCommand, "tasks.md")).toBe(
    "imported tasks.md: 0 new tasks, 2 unchanged (1 done)",
  );
  const { id } = (await folder.json(next)) as { id: string };
  await folder.run(done, id);
  expect(readFileSync(file, "utf8")).toBe("# Plan\n\n- [x] One\n- [x] Two\n");
  const again = await runCommand(reset, [id], folder);
  expect(again.note).toContain("unticked in tasks.md");
  expect(readFileSync(file, "utf8")).toBe("# Plan\n\n- [ ] One\n- [x] Two\n");
});

test("TASK-5: done and reset name a committed list that has to be committed before the next run", async () => {
  const folder = newFolder();
  const { git } = repositoryAt(folder.cwd);
  writeFileSync(join(folder.cwd, "tasks.md"), "- [ ] One\n");
  await folder.run(importCommand, "tasks.md");
  const { id } = (await folder.json(next)) as { id: string };
  const hint = "hint: commit tasks.md before the next run";
  git("init", "-q");
  expect((await runCommand(done, [id], folder)).note).not.toContain(hint);
  await folder.run(reset, id);
  git("add", "tasks.md");
  git("commit", "-qm", "list");
  const ticked = await runCommand(done, [id], folder);
  expect(ticked.note).toContain(`ticked in tasks.md\n${hint}`);
  git("commit", "-qam", "ticked");
  expect((await runCommand(reset, [id], folder)).note).toContain(`unticked in tasks.md\n${hint}`);
});

test("TASK-3: what export writes, import reads back", async () => {
  const folder = await twoTasks();
  await folder.run(
    add,
    "007",
    "--id",
    "007",
    "--tag",
    "1.10",
    "-d",
    "a: b\n# c",
    "--verify",
    "npm test",
    "--verify",
    "x",
    "--allow-red",
  );
  await folder.run(done, "a");
  await folder.run(split, "b", "part");
  expect(await folder.run(exportCommand, "tasks.yaml")).toBe("wrote 4 tasks to tasks.yaml");
  await expect(folder.run(exportCommand, "tasks.yaml")).rejects.toMatchObject({ code: "RALPH_TASK_FILE" });
  await folder.run(exportCommand, "tasks.yaml", "--force");
  const other = newFolder();
  writeFileSync(join(other.cwd, "tasks.yaml"), readFileSync(join(folder.cwd, "tasks.yaml")));
  await other.run(importCommand, "tasks.yaml");
  const pick = (tasks: unknown): unknown =>
    (tasks as { id: string; title: string; status: string }[]).map(({ id, title, status }) => [
      id,
      title,
      status,
    ]);
  expect(pick(await other.json(list))).toEqual(pick(await folder.json(list)));
  expect(await other.json(show, "007")).toMatchObject({
    tags: ["1.10"],
    description: "a: b\n# c",
    verification: [{ run: "npm test" }, { run: "x" }],
    allowRed: true,
    allowNoChange: false,
  });
  // There a parent has become a task that depends on its children.
  const [child] = (await folder.json(list, "--parent", "b")) as { id: string }[];
  expect(await other.json(show, "b")).toMatchObject({ blockedBy: ["a", child?.id].toSorted() });
  expect(await folder.run(exportCommand, "--format", "markdown")).toBe(
    "# Tasks\n\n- [x] Parse dates\n- [ ] Document dates\n  - [ ] part\n- [ ] 007",
  );
  expect(JSON.parse(await folder.run(exportCommand, "--format", "json"))).toMatchObject([
    { id: "a", blockedBy: [] },
    {},
    {},
    {},
  ]);
});

test("UX-4: an import of the project's folder names it", async () => {
  const folder = newFolder();
  for (const typed of [".", folder.cwd])
    await expect(folder.run(importCommand, typed)).rejects.toMatchObject({
      message: "cannot import .: it is a folder",
    });
});

test("TASK-10: sync says of a renamed list that it was not compared", async () => {
  const folder = newFolder();
  writeFileSync(join(folder.cwd, "tasks.md"), "- [ ] One\n");
  await folder.run(importCommand, "tasks.md");
  renameSync(join(folder.cwd, "tasks.md"), join(folder.cwd, "todo.md"));
  const { out, note } = await runCommand(sync, [], folder);
  expect(out).toBe("tasks.md: not compared");
  expect(note).toContain("warning: tasks.md does not exist: its tasks stay as they are");
});
