import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { badFiles } from "./bad-files.ts";
import { bad, first } from "./bad-input.ts";
import { copyOf, type Practice, practice } from "./practice.ts";
import type { Answer } from "./query.ts";

let project: Practice;
let original: Practice;
beforeAll(async () => {
  original = await withTwoTasks();
});
afterEach(() => project?.remove());
afterAll(() => original?.remove());

async function withTwoTasks(): Promise<Practice> {
  const made = practice();
  await made.useWorker({});
  await made.addTasks([
    { id: "a", title: "first" },
    { id: "b", title: "second", after: ["a"] },
  ]);
  return made;
}

/** Everything below the project and the user's home, but what git and SQLite keep for themselves. */
function everything(made: Practice): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    if (path.endsWith("/.git") || /-(wal|shm)$/.test(path)) return;
    if (stats.isDirectory()) {
      found[path] = "folder";
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else {
      const content = stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
      found[path] = createHash("sha256").update(content).digest("hex");
    }
  };
  visit(dirname(made.dir));
  return found;
}

/** In a process of its own where a start differs from `main`: `status` has a quick path, `run` listens for signals. */
const ranBy = (made: Practice, [command = "", ...words]: readonly string[]): Promise<Answer> =>
  (command === "run" || command === "status" ? made.ralph : made.answer)(command, ...words);

test.each([...bad, ...badFiles])(
  "UX-4: $what is refused with what, where and a hint; nothing is changed",
  async ({ prepare, type, code, says, hint }) => {
    project = copyOf(original);
    await prepare?.(project);
    const before = everything(project);
    const ran = await ranBy(project, type);
    const [message = "", advice = ""] = ran.stderr.split(/^hint: /m);
    expect(message).toMatch(/^error: /);
    for (const part of says) expect(message).toMatch(part);
    expect(advice).toMatch(hint);
    expect(ran.stderr.split("\n").length).toBeLessThan(8);
    expect(ran.stdout).toBe("");
    expect(ran.code).toBe(code);
    expect(everything(project)).toEqual(before);
  },
);

test.each(first)(
  "UX-4: in a project without a store, $what says what is wrong",
  async ({ prepare, type, code, says }) => {
    project = practice();
    await prepare?.(project);
    const ran = await ranBy(project, type);
    for (const part of says) expect(ran.stderr).toMatch(part);
    expect(ran.stderr).toMatch(/^hint: \S/m);
    expect(ran.code).toBe(code);
  },
);

test("UX-4: an empty list and a finished one are told, not worked on", async () => {
  project = practice();
  await project.useWorker({});
  const { code, stderr } = await project.ralph("run");
  expect(stderr).toMatch(/^error: no tasks in .*\nhint: run `ralph task import/);
  expect(code).toBe(2);
});

test("UX-4: with --json an error is one object with code, message and hint", async () => {
  project = practice();
  const { code, stdout, stderr } = await project.ralph("task", "show", "nobody", "--json");
  expect(JSON.parse(stdout)).toEqual({
    error: { code: expect.stringMatching(/^RALPH_/), message: expect.any(String), hint: expect.any(String) },
  });
  expect(stderr).toBe("");
  expect(code).toBe(5);
});
