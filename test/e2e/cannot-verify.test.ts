import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const change = { write: { "src/{id}.txt": "{attempt}" } };

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
