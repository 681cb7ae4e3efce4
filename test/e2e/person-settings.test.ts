import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Actions of a person in another terminal while an agent works. */
const person = [
  "git remote add origin ../origin.git",
  "git config branch.main.remote origin; git config branch.main.merge refs/heads/main",
  "git config log.date iso; git config color.ui false",
  "git config alias.st '!git status'; git config core.editor vim",
  "git config --global alias.st status; git config --global core.hooksPath ../hooks",
  "mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
  "echo '# mine' >> .ralph/config.yaml",
].join("\n");

test("LOOP-18: settings that change during a session stay, except what starts programs in the project, named with the command that redoes it", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "fine\n" }, run: [["sh", "-ec", person]] };
  await project.useWorker({ "*": [work] }, 'sandbox: "off"\nverify: ["true"]\n');
  await project.addTasks(["One"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const [run = ""] = readdirSync(join(project.dir, ".ralph/replaced"));
  const aside = `.ralph/replaced/${run}`;
  const warnings = finished(events).flatMap((event) => event["warnings"] as string[]);
  const redo = (key: string, where: string, command: string) =>
    `put back ${key}${where}, as it can start a program; if you changed it: ${command}`;
  expect(warnings).toEqual([
    ".ralph/config.yaml changed during the session: it counts from the next run",
    redo(".git/hooks/pre-commit", "", `cp ${aside}/pre-commit .git/hooks/pre-commit`),
    redo("core.editor", " in .git/config", "git config core.editor vim"),
    redo("alias.st", " in .git/config", "git config alias.st '!git status'"),
  ]);
  expect(project.read(join(aside, "pre-commit"))).toBe("#!/bin/sh\nexit 0\n");
  const local = project.git("config", "--local", "--list");
  for (const kept of ["remote.origin.url=../origin.git", "branch.main.merge=refs/heads/main", "log.date=iso"])
    expect(local).toContain(kept);
  expect(local).not.toContain("alias.st");
  expect(existsSync(join(project.dir, ".git/hooks/pre-commit"))).toBe(false);
  expect(project.read(".ralph/config.yaml")).toContain("# mine");
  const user = project.git("config", "--global", "--list");
  expect(user).toContain("alias.st=status\ncore.hookspath=../hooks");
});
