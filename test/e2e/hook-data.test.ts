import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const warningsOf = (events: readonly RunEvent[]): readonly unknown[] =>
  events.filter(({ type }) => type === "iteration.finished").flatMap(({ warnings }) => warnings ?? []);

function hook(name: string, script: string): void {
  project.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(project.dir, ".git/hooks", name), 0o755);
}

test("LOOP-18 LOOP-21: hooks that read a task's file and keep a log in the home run with each commit, and the log stays", async () => {
  project = practice({ "src/b.txt": "ok\n" });
  const log = join(project.home, "worklog.md");
  await project.useWorker({ "*": [{ write: { "src/b.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
  await project.addTasks(["One", "Two"]);
  writeFileSync(log, "monday\n");
  hook("pre-commit", 'grep -q BROKEN src/b.txt && exit 1\necho "checked src/b.txt" >> "$HOME/worklog.md"');
  hook("post-commit", "git log -1 --format=%s | tee -a ~/worklog.md > /dev/null");
  const { code, events } = await project.run();
  expect([code, warningsOf(events)]).toEqual([0, []]);
  expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
    "monday",
    "checked src/b.txt",
    expect.stringContaining("One"),
    "checked src/b.txt",
    expect.stringContaining("Two"),
  ]);
});
