import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, practice, runRalph } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("TRUST-12: a copy of the project in one of its folders is reported by each command", async () => {
  project = practice({ "docs/x.md": "x\n" });
  await project.useWorker({ "*": [{}] });
  await project.addTasks(["one"]);
  const docs = { dir: join(project.dir, "docs"), env: project.env };
  expect((await runRalph(["status"], docs)).stderr).not.toContain("warning");
  cpSync(join(project.dir, ".ralph"), join(docs.dir, ".ralph"), { recursive: true });
  for (const command of ["status", "task list", "status", "task tree"]) {
    const { stderr } = await runRalph(command.split(" "), docs);
    expect(stderr, command).toContain(`warning: ${docs.dir} is a project inside of ${project.dir} that`);
  }
  for (const command of ["status", "task list"])
    expect((await project.start(...command.split(" "))).stderr).not.toContain("inside of");
});

test("TRUST-12: a person's own project in a folder of another is not reported", async (context) => {
  onlyInLongForm(context);
  project = practice({ "docs/x.md": "x\n" });
  await project.useWorker({ "*": [{}] });
  await project.addTasks(["one"]);
  const docs = { dir: join(project.dir, "docs"), env: project.env };
  cpSync(join(project.dir, ".ralph/config.yaml"), join(docs.dir, ".ralph/config.yaml"), { recursive: true });
  const added = await runRalph(["task", "add", "inner"], docs);
  expect([added.code, added.stderr]).toEqual([0, expect.not.stringContaining("inside of")]);
  for (const command of ["status", "task list"])
    expect((await runRalph(command.split(" "), docs)).stderr).not.toContain("inside of");
});
