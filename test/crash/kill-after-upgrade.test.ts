import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, withTasks } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killRalph } from "./kill-ralph.ts";
import { marked } from "./kill-when.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");

const work = { write: { "src/{id}.txt": "fine\n" } };
const kill = { run: [["sh", "-c", `${killRalph}; sleep 20`]] };
const settings = 'verify: ["true"]\nsandbox: off\n';

/** Makes the rows of commits those of an earlier version. */
function unseal({ dir }: Practice): void {
  const unsealed = "UPDATE pending_commits SET paths = json_remove(paths, '$.seal')";
  execFileSync(process.execPath, [writer, unsealed], { cwd: dir });
}

async function killIn(of: Practice, task: string): Promise<void> {
  expect((await of.start("run", task)).signal).toBe("SIGKILL");
  await marked(of);
}

test("TRUST-11: a commit that an earlier version recorded without a seal can be undone after a later kill", async () => {
  const script = { calls: "../calls", "t-3": [kill, work], "*": [work] };
  project = await withTasks(script, ["one", "two", "three"], settings);
  expect((await project.run("t-1")).code).toBe(0);
  unseal(project);
  expect((await project.run("t-2")).code).toBe(0);
  await killIn(project, "t-3");
  expect((await project.run("t-3")).code).toBe(0);
  expect(await project.ralph("undo", "t-1")).toMatchObject({ code: 0 });
});

test("TRUST-11: such a commit can be undone also where the earlier version was killed, and the first run after it", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  const script = { calls: "../calls", "t-2": [kill, work], "t-3": [kill, work], "*": [work] };
  project = await withTasks(script, ["one", "two", "three"], settings);
  expect((await project.run("t-1")).code).toBe(0);
  await killIn(project, "t-2");
  // What the earlier version did not do.
  unseal(project);
  const projects = join(`${project.env["XDG_STATE_HOME"]}`, "ralph/projects");
  for (const folder of readdirSync(projects)) rmSync(join(projects, folder, "work.json"));
  await killIn(project, "t-3");
  expect((await project.run("t-3")).code).toBe(0);
  expect(await project.ralph("undo", "t-1")).toMatchObject({ code: 0 });
});
