import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, withTasks } from "../e2e/practice.ts";
import { killRalph } from "./kill-ralph.ts";
import { marked } from "./kill-when.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");

test("TRUST-11: a commit that an earlier version recorded without a seal can be undone after a later kill", async () => {
  const work = { write: { "src/{id}.txt": "fine\n" } };
  const kill = { run: [["sh", "-c", `${killRalph}; sleep 20`]] };
  const script = { calls: "../calls", "t-3": [kill, work], "*": [work] };
  project = await withTasks(script, ["one", "two", "three"], 'verify: ["true"]\nsandbox: off\n');
  expect((await project.run("t-1")).code).toBe(0);
  const unsealed = "UPDATE pending_commits SET paths = json_remove(paths, '$.seal')";
  execFileSync(process.execPath, [writer, unsealed], { cwd: project.dir });
  expect((await project.run("t-2")).code).toBe(0);
  expect((await project.start("run", "t-3")).signal).toBe("SIGKILL");
  await marked(project);
  expect((await project.run("t-3")).code).toBe(0);
  expect(await project.ralph("undo", "t-1")).toMatchObject({ code: 0 });
});
