import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { canInject } from "../faults/trace.ts";
import { variants } from "../test-size.ts";
import { type Practice, practice, ralphBin, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** `ralph status` and `ralph task list` with at most `files` open files. */
function withFiles(files: number, ...args: string[]): Ended {
  const script = `ulimit -n ${files}; exec "$@"`;
  return spawnSync("sh", ["-c", script, "sh", process.execPath, ...ralphStart, ...args], {
    cwd: project.dir,
    env: project.env,
    encoding: "utf8",
  });
}

/** The least number of open files from `least` on with which the command line succeeds. */
function enoughFor(least: number, ...args: string[]): number {
  let files = least;
  while (withFiles(files, ...args).status !== 0) files++;
  return files;
}

/** How many limits are tried, from the least on. */
const limits = 5;

/** Below, Node itself does not start. */
let fewest: number | undefined;
function fewestFiles(): number {
  fewest ??= enoughFor(12, "--version");
  return fewest;
}

test("TRUST-8: with too few open files, a command ends with exit code 5 and a sentence, or succeeds", async () => {
  project = practice();
  await project.addTasks(["one"]);
  const files = fewestFiles();
  const ends = Array.from({ length: limits }, (_, more) => withFiles(files + more, "task", "list"));
  expect(ends.map(({ status }) => status)).toContain(5);
  for (const { status, stderr } of ends) {
    expect([0, 5]).toContain(status);
    expect(stderr).not.toMatch(/\n +at /);
    if (status === 5) expect(stderr).toMatch(/^error: .*too many files are open\nhint: .*ulimit/m);
  }
});

test("TRUST-8 UX-2: without its built program, ralph ends with exit code 5 and the command that builds it", () => {
  project = practice();
  const bin = join(project.dir, "bin");
  mkdirSync(bin);
  copyFileSync(ralphBin, join(bin, "ralph.js"));
  const { status, stderr } = spawnSync(process.execPath, [join(bin, "ralph.js"), "run"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    5,
    expect.stringMatching(/^error: .*Cannot find module.*\nhint: .*npm ci/),
  ]);
  expect(stderr).not.toMatch(/\n +at /);
});

test.skipIf(!canInject())(
  "TRUST-8: when the disk fails below its built program, ralph ends with exit code 5",
  () => {
    project = practice();
    const start = join(dirname(ralphBin), "../dist/start.cjs");
    const failing = ["-o", "/dev/null", "-P", start, "-e", "inject=read:error=EIO", process.execPath];
    const { status, stderr } = spawnSync("strace", [...failing, ralphBin, "run"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([5, expect.stringMatching(/^error: .*EIO.*\nhint: .*disk/)]);
    expect(stderr).not.toMatch(/\n +at /);
  },
);

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot).each(variants([".ralph", ".git"], 1))(
  "TRUST-5: a %s that belongs to another user is refused, as git does, until it is trusted",
  async (name) => {
    project = practice();
    if (name === ".ralph") mkdirSync(join(project.dir, name), { recursive: true });
    chownSync(join(project.dir, name), 65534, 65534);
    for (const args of [["task", "add", "one"], ["status"], ["run"], ["init", "--yes"], ["trust", "show"]]) {
      const { code, stderr } = await project.ralph(...args);
      expect([args, code, stderr]).toEqual([args, 5, expect.stringMatching(/belongs to another user/)]);
      expect(stderr).toMatch(/hint: .*git config --global --add safe\.directory/);
    }
    execFileSync("git", ["config", "--global", "--add", "safe.directory", project.dir], { env: project.env });
    expect((await project.ralph("task", "add", "one")).code).toBe(0);
  },
);
