import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
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

test.each<Given & { missing: string }>([
  { verify: "no-such-checker --all", missing: 'the program "no-such-checker" was not found' },
  {
    verify: "npm run lint",
    files: { "package.json": scripts({ test: "true" }) },
    missing: 'package.json has no script "lint"',
  },
])("LOOP-21: `$verify` cannot be executed: exit code 5, no attempt, and the hint says why", async (given) => {
  const { code, end, finished, attempts } = await runTwoTasks(given);
  expect(finished).toEqual([]);
  expect(attempts).toEqual([0, 0]);
  expect(end).toMatchObject({ reason: "cannot-verify", exitCode: 5, tasks: { pending: 2 } });
  expect(end?.["summary"]).toContain(given.missing);
  expect(end?.["hint"]).toContain(given.verify);
  expect(end?.["hint"]).toContain(given.missing);
  expect(code).toBe(5);
});

const failed = [{ outcome: "failed", verification: "failed", taskStatus: "pending" }];

test.each<{ what: string; given: Given }>([
  {
    what: "an attempt that removed the script",
    given: {
      verify: "npm run lint",
      files: { "package.json": scripts({ lint: "true" }) },
      step: { write: { "package.json": scripts({}) } },
    },
  },
  {
    what: "an attempt that deleted what the program runs",
    given: {
      verify: "sh check.sh",
      files: { "check.sh": "./tools/run\n", "tools/run": "#!/bin/sh\n" },
      step: { remove: ["tools"] },
    },
  },
])("LOOP-21: $what has failed: it is no error of the environment", async ({ given }) => {
  const { code, finished, attempts } = await runTwoTasks(given, "--once");
  expect(finished).toMatchObject(failed);
  expect(attempts).toEqual([1, 0]);
  expect(code).toBe(3);
});

test("LOOP-21: a program that the attempt removed unseen by git costs one attempt, then the run ends", async () => {
  const { code, end, finished, attempts } = await runTwoTasks({
    verify: "npm test",
    files: { "package.json": scripts({ test: "checker" }), "node_modules/.bin/checker": "#!/bin/sh\n" },
    programs: ["node_modules/.bin/checker"],
    step: { ...change, remove: ["node_modules"] },
  });
  expect(finished).toMatchObject(failed);
  expect(attempts).toEqual([1, 0]);
  expect(end).toMatchObject({ reason: "cannot-verify" });
  expect(code).toBe(5);
});
