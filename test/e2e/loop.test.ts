import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-1 LOOP-3 LOOP-9 IF-2: tasks run in order, each is verified and committed, the last line says how it ended", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "work on {id}\n" } }] }, ["first", "second"]);
  const { code, events } = await project.run();
  expect(
    finished(events).map(({ taskId, outcome, verification }) => [taskId, outcome, verification]),
  ).toEqual([
    ["t-1", "done", "passed"],
    ["t-2", "done", "passed"],
  ]);
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({
    type: "run.finished",
    reason: "done",
    exitCode: 0,
    tasks: { done: 2, failed: 0, blocked: 0, pending: 0 },
    iterations: 2,
    costUsd: null,
    durationMs: expect.any(Number),
  });
  expect(project.commits().slice(0, 2)).toEqual(["second", "first"]);
  expect(project.git("log", "-1", "--format=%(trailers:key=Ralph-Task,valueonly)").trim()).toBe("t-2");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-2.txt");
});

test("LOOP-7 STRAT-4: at the attempts cap a task is blocked with its reason, others go on, exit code 4", async () => {
  project = await withTasks(
    {
      "t-1": [{ write: { "src/t-1.txt": "BROKEN {attempt}" } }],
      "*": [{ write: { "src/{id}.txt": "fine" } }],
    },
    ["hopeless", "fine"],
  );
  const { code, events } = await project.run("--max-attempts", "3");
  expect(finished(events).map(({ taskId, attempt, taskStatus }) => [taskId, attempt, taskStatus])).toEqual([
    ["t-1", 1, "pending"],
    ["t-1", 2, "pending"],
    ["t-1", 3, "blocked"],
    ["t-2", 1, "done"],
  ]);
  expect(code).toBe(4);
  expect(events.at(-1)).toMatchObject({ reason: "stuck", tasks: { done: 1, blocked: 1 } });
  // The hopeless task's leftovers are kept aside, not in the next task's commit.
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-2.txt");
  expect(project.git("for-each-ref", "--format=%(refname)", "refs/ralph")).toMatch(
    /refs\/ralph\/salvage\/t-1/,
  );
  expect(await project.json("diff", "t-1")).toMatchObject({
    uncommitted: null,
    salvaged: { ref: "refs/ralph/salvage/t-1-3", diff: expect.stringContaining("+BROKEN 3") },
  });
  expect(project.git("status", "--porcelain")).toBe("");
});

test("LOOP-18: without a sandbox, git hooks are put back before anything runs, and ralph's own configuration stays", async () => {
  project = await withTasks(
    {
      "*": [
        {
          write: {
            "src/x.txt": "x",
            ".git/hooks/pre-commit": "#!/bin/sh\ntouch ../pwned\n",
            ".ralph/config.yaml": 'agent: command\nverify: ["true"]\n',
          },
          run: [["chmod", "+x", ".git/hooks/pre-commit"]],
        },
      ],
    },
    ["one"],
    'verify: ["sh check.sh"]\nsandbox: "off"\n',
  );
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)[0]?.["warnings"]).toEqual(
    expect.arrayContaining([
      expect.stringContaining(".ralph/config.yaml changed"),
      expect.stringContaining("pre-commit"),
    ]),
  );
  expect(project.read(".ralph/config.yaml")).toBe('agent: command\nverify: ["true"]\n');
  expect(() => project.read("../pwned")).toThrow();
});

test("LOOP-4: with no verification configured a done is unverified, and said so", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"], "");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "run.started")?.["warnings"]).toEqual([
    expect.stringContaining("unverified"),
  ]);
  expect(finished(events)).toMatchObject([{ outcome: "done", verification: "unverified" }]);
});

test("LOOP-12: a dry run prints the prompt and the command of the next iteration, and starts nothing", async () => {
  const script = { starts: "../starts", prompts: "../prompts", "*": [{ write: { "src/{id}.txt": "x" } }] };
  project = await withTasks(script, ["one"]);
  const config = project.read(".ralph/config.yaml");
  const argv = ["sh", "-c", 'echo "$0 $*" > ../told; exec sh ../worker.sh', "two words", "--effort=high"];
  const words = JSON.stringify(argv);
  project.write(
    ".ralph/config.yaml",
    config.replace(/argv: \[[^\]]*\]/, () => `argv: ${words}`),
  );
  await project.approveConfig();
  const { code, stdout, stderr } = await project.ralph("run", "--dry-run");
  expect(code).toBe(0);
  expect(stderr).toContain(`command: sh -c ${JSON.stringify(argv[2])} "two words" --effort=high\n`);
  const planned = (await project.json("run", "--dry-run")) as Record<string, unknown>;
  expect(planned).toMatchObject({ taskId: "t-1", attempt: 1, model: "small", argv });
  expect(stdout).toBe(`${planned["prompt"]}\n`);
  for (const file of ["../starts", "../told"]) expect(existsSync(join(project.dir, file))).toBe(false);
  expect(await project.json("task", "list")).toMatchObject([{ id: "t-1", status: "pending", attempts: 0 }]);
  await project.run("--allow-dirty");
  expect(project.read("../told")).toBe("two words --effort=high\n");
  // The fence has a code of its own in each prompt.
  const withoutCodes = (prompt: unknown): string => `${prompt}`.replace(/(?<=<\/?data-)\w+(?=>)/g, "");
  expect(withoutCodes(project.read("../prompts/t-1-1.txt"))).toBe(withoutCodes(planned["prompt"]));
  expect(await project.json("run", "--dry-run")).toBe(null);
});
