import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-15: the demo fails, shows the report and the retry's prompt, succeeds, commits and unblocks", async () => {
  project = practice();
  const { code, stdout, stderr } = await project.ralph("demo");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const told = [
    /verification failed/,
    /\| ### Previous Attempts/,
    /\| .*three apples cost two/,
    /✓ verified/,
    /unblocked: 1\.2/,
    /committed [0-9a-f]{9} Add up a cart/,
    /all tasks are done/,
    /What ralph recorded/,
    /stored in (.*)\/\.ralph\/progress\.db/,
  ];
  let from = 0;
  for (const line of told) {
    const found = stdout.slice(from).search(line);
    expect(found, `${line} in its place`).toBeGreaterThanOrEqual(0);
    from += found;
  }
  // Each thing once, and nothing to worry a newcomer.
  expect(stdout.match(/all tasks are done/g)?.length).toBe(1);
  expect(stdout).not.toMatch(/^ *!/m);
  const root = String(/stored in (.*)\/\.ralph\/progress\.db/.exec(stdout)?.[1]);
  const log = execFileSync("git", ["log", "--format=%s"], { cwd: root, encoding: "utf8" });
  expect(log).toMatch(/^Print a receipt \(1\.2\)\nAdd up a cart \(1\.1\)\n/);
  rmSync(root, { recursive: true, force: true });
});
