import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

let made: Practice | undefined;
afterEach(() => made?.remove());

const plants: Readonly<Record<string, string>> = {
  "a link for the logs": "mkdir ../elsewhere; rm -rf .ralph/logs; ln -s ../../elsewhere .ralph/logs",
  "a pipe for the marks of life": "rm -rf .ralph/alive; mkfifo .ralph/alive",
  "a pipe for the logs of the run": "for d in .ralph/logs/*; do rm -r $d; mkfifo $d; done",
  "a link for temporary files": "mkdir ../elsewhere; rm -rf .ralph/tmp; ln -s ../../elsewhere .ralph/tmp",
};

test.each(variants(Object.entries(plants), 1))(
  "TRUST-5 TRUST-12: what an agent puts in place of ralph's folders stops neither the run nor later ones: %s",
  async (_, script) => {
    const work = { write: { "src/{id}.txt": "x" } };
    const planting = { ...work, run: [["sh", "-c", script]], say: "<task-done>t-1</task-done>" };
    made = await withTasks({ "t-1": [planting], "*": [work] }, ["One", "Two", "Three"], 'verify: ["true"]\n');
    const first = await made.start("run", "t-1", "t-2");
    expect(first.stderr).not.toMatch(/bug in ralph/);
    expect(first.stdout).toMatch(/put back \.ralph\/\w+/);
    expect((await made.start("run")).code).toBe(0);
    expect((await made.ralph("status")).stdout).toContain("3 done");
    for (const name of ["logs", "tmp", "alive"])
      expect(lstatSync(join(made.dir, ".ralph", name)).isDirectory()).toBe(true);
    const elsewhere = join(dirname(made.dir), "elsewhere");
    expect(existsSync(elsewhere) ? readdirSync(elsewhere) : []).toEqual([]);
  },
);

test("TRUST-5 TRUST-12: folders with the names of files that a start of ralph removes stop no later run", async (context) => {
  onlyInLongForm(context);
  const folders = ".ralph/alive/x/y .git/ralph-index-0123456789ab/x";
  const script = `mkdir -p ${folders}; touch -d '2 hours ago' .git/ralph-index-0123456789ab`;
  const work = { write: { "src/{id}.txt": "x" } };
  const planting = { ...work, run: [["sh", "-c", script]] };
  made = await withTasks({ "t-1": [planting], "*": [work] }, ["One", "Two"], 'verify: ["true"]\n');
  expect((await made.start("run", "t-1")).code).toBe(0);
  const { code, stderr } = await made.start("run");
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("bug in ralph")]);
  expect(existsSync(join(made.dir, ".git/ralph-index-0123456789ab"))).toBe(false);
});
