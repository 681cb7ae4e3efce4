import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice, ralphBin } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

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
