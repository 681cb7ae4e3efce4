import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, runRalph } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-15: the demo fails, shows the report and the retry's prompt, succeeds, commits and unblocks", async () => {
  project = practice();
  const env = { ...project.env, npm_lifecycle_event: "demo" };
  const { code, stdout, stderr } = await runRalph(["demo"], { dir: project.dir, env });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const told = [
    /✗ failed: verification failed/,
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
  expect(stdout).not.toContain("`ralph run`");
  const root = String(/stored in (.*)\/\.ralph\/progress\.db/.exec(stdout)?.[1]);
  const log = execFileSync("git", ["log", "--format=%s"], { cwd: root, encoding: "utf8" });
  expect(log).toMatch(/^Print a receipt \(1\.2\)\nAdd up a cart \(1\.1\)\n/);
  // No `ralph` is installed where only `npm run demo` was typed.
  const typed =
    stdout
      .slice(stdout.indexOf("Explore it with:"))
      .match(/^ {3}\S.*$/gm)
      ?.join("\n") ?? "";
  const seen = execFileSync("sh", ["-ec", typed], { env: project.env, encoding: "utf8" });
  expect(seen).toMatch(/^tasks +2 done$[\s\S]*attempt 1 · failed/m);
  expect(stdout).toMatch(/^Next: run `node \S+\/bin\/ralph\.js init`/m);
  rmSync(root, { recursive: true, force: true });
});
