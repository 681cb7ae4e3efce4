import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** What a person may do in another terminal while an agent works. */
const person = [
  "git remote add origin ../origin.git",
  "git config branch.main.remote origin; git config branch.main.merge refs/heads/main",
  "git config log.date iso; git config color.ui false",
  "git config alias.st status",
  "mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
  "echo '# mine' >> .ralph/config.yaml",
].join("\n");

test("LOOP-18: a person's remote stays during a session and is named, and of what is put back the warning names a copy", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "fine\n" }, run: [["sh", "-ec", person]] };
  await project.useWorker({ "*": [work] }, 'verify: ["true"]\n');
  await project.addTasks(["One"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const ends = events.filter(({ type }) => type === "iteration.finished");
  const warnings = ends.flatMap((event) => event["warnings"] as string[]);
  const copies = warnings.flatMap((warning) => {
    const found = /^put back (\S+): an agent may not change it; the changed version is in (\S+)$/.exec(
      warning,
    );
    return found === null ? [] : [[found[1] ?? "", project.read(found[2] ?? "")] as const];
  });
  expect(warnings.filter((warning) => warning.startsWith("kept "))).toEqual([
    "kept a new remote in .git/config: origin (../origin.git); review it before you push",
    "kept a new upstream of a branch in .git/config: main (origin refs/heads/main); review it before you push",
  ]);
  expect(copies.map(([name]) => name)).toEqual([
    ".git/hooks/pre-commit",
    ".git/config",
    ".ralph/config.yaml",
  ]);
  const [hook, config, settings] = copies.map(([, text]) => text);
  expect(hook).toBe("#!/bin/sh\nexit 0\n");
  expect(config).toContain("st = status");
  expect(settings).toContain("# mine");
  const local = project.git("config", "--local", "--list");
  expect(local).toContain("remote.origin.url=../origin.git");
  expect(local).toContain("branch.main.merge=refs/heads/main");
  expect(local).toContain("log.date=iso");
  expect(local).not.toContain("alias.st");
  expect(existsSync(join(project.dir, ".git/hooks/pre-commit"))).toBe(false);
  expect(readFileSync(join(project.dir, ".ralph/config.yaml"), "utf8")).not.toContain("# mine");
});

test.each(variants(["strict", "clean"], 1))(
  "LOOP-18: under %s a new remote fails no attempt and is named once",
  async (level) => {
    project = practice({ "src/base.txt": "ok\n" });
    const run = [["git", "remote", "add", "evil", "https://evil.example/x.git"]];
    const work = { write: { "src/{id}.txt": "fine\n" }, run };
    const later = { write: { "src/{id}.txt": "fine\n" } };
    await project.useWorker({ "t-1": [work], "*": [later] }, `verify: ["true"]\nverifyGuard: ${level}\n`);
    await project.addTasks(["One", "Two"]);
    const { code, events } = await project.run();
    expect(code).toBe(0);
    const ends = events.filter(({ type }) => type === "iteration.finished");
    expect(ends.map((event) => [event["attempt"], event["warnings"]])).toEqual([
      [1, ["kept a new remote in .git/config: evil (https://evil.example/x.git); review it before you push"]],
      [1, []],
    ]);
  },
);
