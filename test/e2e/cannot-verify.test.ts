import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const change = { write: { "src/{id}.txt": "{attempt}" } };

interface Step {
  readonly write?: Record<string, string>;
  readonly remove?: readonly string[];
}

interface Given {
  readonly verify: string;
  readonly step?: Step;
  readonly files?: Record<string, string>;
  /** Of the files. */
  readonly programs?: readonly string[];
}

/** A run over two tasks in a project that is verified by `verify`. */
async function runTwoTasks({ verify, step = change, files = {}, programs = [] }: Given, ...args: string[]) {
  project = practice({ ".gitignore": "node_modules\n", "src/base.txt": "x", ...files });
  for (const program of programs) chmodSync(join(project.dir, program), 0o755);
  await project.useWorker({ "*": [step] }, `verify: [${JSON.stringify(verify)}]\n`);
  await project.addTasks(["first", "second"]);
  const { code, events } = await project.run(...args);
  const tasks = (await project.json("task", "list")) as { attempts: number; status: string }[];
  const finished = events.filter(({ type }) => type === "iteration.finished");
  return { code, end: events.at(-1), finished, attempts: tasks.map(({ attempts }) => attempts) };
}

const scripts = (of: Record<string, string>): string => `${JSON.stringify({ scripts: of }, null, 2)}\n`;

test.each<Given & { missing: string }>(
  variants(
    [
      { verify: "no-such-checker --all", missing: 'the program "no-such-checker" was not found' },
      {
        verify: "npm run lint",
        files: { "package.json": scripts({ test: "true" }) },
        missing: 'package.json has no script "lint"',
      },
    ],
    1,
  ),
)("LOOP-21: `$verify` cannot be executed: exit code 5, no attempt, and the hint says why", async (given) => {
  const { code, end, finished, attempts } = await runTwoTasks(given);
  expect(finished).toEqual([]);
  expect(attempts).toEqual([0, 0]);
  expect(end).toMatchObject({ reason: "cannot-verify", exitCode: 5, tasks: { pending: 2 } });
  expect(end?.["summary"]).toContain(given.missing);
  expect(end?.["hint"]).toContain(given.verify);
  expect(end?.["hint"]).toContain(given.missing);
  expect(code).toBe(5);
});

/** Adds tasks with a command of their own ("": the project's), and returns their ids. */
async function addOwn(commands: readonly string[]): Promise<readonly string[]> {
  for (const [n, run] of commands.entries())
    await project.ralph("task", "add", `task ${n}`, ...(run === "" ? [] : ["--verify", run]));
  await project.ralph("trust", "approve", "--yes");
  return ((await project.json("task", "list")) as { id: string }[]).map(({ id }) => id);
}

test("LOOP-21: a task's own command that cannot be executed blocks that task, and the run continues", async () => {
  project = practice({ "src/base.txt": "x" });
  const calls = join(project.dir, "../calls");
  await project.useWorker(
    { "*": [{ ...change, run: [["sh", "-c", `echo {id} >> ${calls}`]] }] },
    'verify: ["true"]\n',
  );
  const [a = "", b = "", c = "", d = ""] = await addOwn([
    "no-such-one 1",
    "no-such-one 2",
    "test -e src",
    "",
  ]);
  const { code, events } = await project.run();
  const missing = 'the program "no-such-one" was not found';
  const blocked = (taskId: string, command: string) => ({
    ...{ taskId, kind: "cannot-verify", message: `${command}: ${missing}`, taskStatus: "blocked" },
    hint: expect.stringMatching(`ralph task edit ${taskId} --verify.*ralph task retry ${taskId}`),
  });
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(of("iteration.interrupted")).toMatchObject([
    blocked(a, "no-such-one 1"),
    blocked(b, "no-such-one 2"),
  ]);
  const done = { outcome: "done" };
  expect(of("iteration.finished")).toMatchObject([
    { taskId: c, ...done },
    { taskId: d, ...done },
  ]);
  // The program that the first task's command lacked is not tried with another paid session.
  expect(readFileSync(calls, "utf8")).toBe(`${a}\n${c}\n${d}\n`);
  const reason = { reason: expect.stringContaining(missing) };
  const tasks = { done: 2, blocked: 2 };
  expect(events.at(-1)).toMatchObject({ reason: "stuck", exitCode: 4, tasks, needs: [reason, reason] });
  expect(code).toBe(4);
  expect(await project.json("task", "show", a)).toMatchObject({ attempts: 0, status: "blocked" });
  await project.ralph("task", "edit", a, "--verify", `test -e src/${a}.txt`);
  await project.ralph("task", "retry", a);
  await project.ralph("trust", "approve", "--yes");
  expect((await project.run(a)).code).toBe(0);
});
