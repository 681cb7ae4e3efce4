import { afterEach, expect, test } from "vitest";
import { finished, type Practice, ralphStart, verify, withTasks } from "./practice.ts";

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
  expect(project.commits().slice(0, 2)).toEqual(["second (t-2)", "first (t-1)"]);
  expect(project.git("log", "-1", "--format=%(trailers:key=Ralph-Task,valueonly)").trim()).toBe("t-2");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-2.txt");
});

test("SIG-10 SIG-7 LOOP-4: another task's id and sigils in other words, a fence or a quote finish nothing", async () => {
  const says = [
    "<task-done>t-9</task-done>",
    "<task-done>{id}</task-done>\nWait, I have not run the tests.",
    "```\n<task-done>{id}</task-done>\n```",
    "> <task-done>{id}</task-done>",
  ];
  const steps = says.map((say, at) => [`t-${at + 1}`, [{ write: { "src/{id}.txt": "x" }, say }]]);
  project = await withTasks(Object.fromEntries(steps), says);
  const { code, events } = await project.run("--max-attempts", "1");
  expect(finished(events).map(({ taskId, outcome, taskStatus }) => [taskId, outcome, taskStatus])).toEqual(
    says.map((_, at) => [`t-${at + 1}`, "no_sigil", "blocked"]),
  );
  expect(code).toBe(4);
});

test("SIG-10: the error and the next prompt name the other task's id of a sigil", async () => {
  const write = { "src/a.txt": "{attempt}" };
  const report = "<failure-report>\nwhat_tried: a\nwhy_failed: no key.\n</failure-report>\n";
  const steps = [
    "<task-done>t-9</task-done>",
    "<task-failed>t-8</task-failed>",
    `${report}<task-done>t-7</task-done>`,
  ];
  const script = { prompts: "../prompts", "*": [...steps, "Bye."].map((say) => ({ write, say })) };
  project = await withTasks(script, ["do it"]);
  const { events } = await project.run("--max-iterations", "4");
  const ignored = (kind: string, id: string) =>
    `the agent's ${kind} sigil does not count: it names "${id}", not "t-1"`;
  const reasons = [ignored("done", "t-9"), ignored("failed", "t-8"), ignored("done", "t-7")];
  expect(
    finished(events)
      .map(({ reason }) => reason)
      .slice(0, 3),
  ).toEqual(reasons);
  for (const [index, reason] of reasons.entries())
    expect(project.read(`../prompts/t-1-${index + 2}.txt`)).toContain(reason);
});

test("SIG-10 SIG-8: a failed verification does not hide that the sigil names another task", async () => {
  const broken = { write: { "src/a.txt": "BROKEN {attempt}" }, say: "<task-done>t-9</task-done>" };
  project = await withTasks(
    { prompts: "../prompts", "*": [broken] },
    ["do it"],
    `${verify}completion: verified\n`,
  );
  const { events } = await project.run("--max-iterations", "2");
  const named = 'it names "t-9", not "t-1"';
  expect(finished(events)[0]?.["reason"]).toMatch(new RegExp(`^verification failed: .*${named}$`));
  expect(project.read("../prompts/t-1-2.txt")).toContain(named);
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
  // What the hopeless task left is kept aside, not in the next task's commit.
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

test("LOOP-9: unfinished work is put back when its task is retried", async () => {
  project = await withTasks(
    {
      "t-1": [
        { write: { "src/part.txt": "half" }, say: "Not finished." },
        { write: { "src/rest.txt": "whole" } },
      ],
      "*": [{ write: { "src/{id}.txt": "fine" } }],
    },
    ["in two goes", "other"],
  );
  expect((await project.run("--once")).code).toBe(3);
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  const second = await project.run();
  expect(second.code).toBe(0);
  expect(project.commits().slice(0, 2)).toEqual(["in two goes (t-1)", "other (t-2)"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
    "src/part.txt",
    "src/rest.txt",
  ]);
});

test("LOOP-9: a dirty tracked file stops the run with a hint and nothing changes", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"]);
  project.write("src/base.txt", "mine, unsaved\n");
  const { code, stderr } = await project.ralph("run");
  expect(code).toBe(5);
  expect(stderr).toMatch(/src\/base\.txt/);
  expect(stderr).toMatch(/hint:.*--allow-dirty/s);
  const allowed = await project.run("--allow-dirty");
  expect(allowed.code).toBe(0);
  expect(project.read("src/base.txt")).toBe("mine, unsaved\n");
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-1.txt");
});

test("LOOP-9: a person's untracked files are left alone", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"]);
  project.write("notes-of-mine.txt", "private\n");
  expect((await project.run()).code).toBe(0);
  expect(project.git("status", "--porcelain")).toBe("?? notes-of-mine.txt");
});

test("LOOP-18: git hooks and ralph's own configuration are put back before anything runs", async () => {
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
  );
  const before = project.read(".ralph/config.yaml");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)[0]?.["warnings"]).toEqual(
    expect.arrayContaining([
      expect.stringContaining(".ralph/config.yaml"),
      expect.stringContaining("pre-commit"),
    ]),
  );
  expect(project.read(".ralph/config.yaml")).toBe(before);
  expect(() => project.read("../pwned")).toThrow();
});

test("SIG-8: under completion: verified an agent without sigils still gets its work done", async () => {
  project = await withTasks(
    { "*": [{ write: { "src/{id}.txt": "x" }, say: "ok" }] },
    ["one"],
    `${verify}completion: verified\n`,
  );
  const { code, events } = await project.run();
  expect(finished(events)).toMatchObject([{ outcome: "done", verification: "passed" }]);
  expect(code).toBe(0);
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

test("LOOP-4: the warning about unverified tasks counts those without commands of their own", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"], "");
  await project.ralph("task", "add", "two", "--verify", "test -d src");
  await project.ralph("trust", "approve", "--yes");
  const { events } = await project.run("--once");
  const warnings = (list: typeof events): unknown =>
    list.find(({ type }) => type === "run.started")?.["warnings"];
  expect(warnings(events)).toEqual([expect.stringContaining("1 of 2 tasks have no verification")]);
  const second = await project.run();
  expect(warnings(second.events)).toEqual([]);
  expect(finished(second.events)).toMatchObject([{ outcome: "done", verification: "passed" }]);
});

test("LOOP-12: a dry run prints the prompt and starts nothing", async () => {
  project = await withTasks({ starts: "../starts", "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"]);
  const { code, stdout } = await project.ralph("run", "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toContain("one");
  expect(() => project.read("../starts")).toThrow();
  expect(await project.json("task", "list")).toMatchObject([{ id: "t-1", status: "pending", attempts: 0 }]);
});

test("LOOP-4: `ralph task done` typed inside an iteration is only a claim", async () => {
  const done = [process.execPath, ...ralphStart, "task", "done", "t-1"];
  const step = { write: { "src/t-1.txt": "BROKEN" }, run: [done], say: "ok" };
  project = await withTasks({ "t-1": [step] }, ["one"]);
  const { events } = await project.run("--once");
  expect(finished(events)).toMatchObject([
    { outcome: "failed", verification: "failed", taskStatus: "pending" },
  ]);
});

test("LOOP-9: with --allow-dirty an edit to a dirty file ends the attempt with a hint, and the next one starts even", async () => {
  project = await withTasks(
    {
      "t-1": [
        { write: { "src/base.txt": "the agent's", "src/a.txt": "a" } },
        { write: { "src/b.txt": "b" } },
      ],
    },
    ["one"],
  );
  project.write("src/base.txt", "mine, unsaved\n");
  const { code, events } = await project.run("--allow-dirty");
  const [first, second] = finished(events);
  expect(first).toMatchObject({ outcome: "failed", reason: expect.stringContaining("src/base.txt") });
  expect(second).toMatchObject({ outcome: "done" });
  expect(code).toBe(0);
  // What it overwrote can be had back.
  const warnings = JSON.stringify(first?.["warnings"]);
  const blob = String(/cat-file blob ([0-9a-f]+)/.exec(warnings)?.[1]);
  expect(project.git("cat-file", "blob", blob)).toBe("mine, unsaved");
  // The next attempt was verified with it, and does not commit it.
  const still = `src/base.txt is yours and still as an earlier attempt left it, which no commit holds (to get it back: git cat-file blob ${blob}`;
  expect(second?.["warnings"]).toEqual([expect.stringContaining(still)]);
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
    "src/a.txt",
    "src/b.txt",
  ]);
});

test("LOOP-9: each attempt that overwrites a dirty file names the person's version, which survives git gc", async () => {
  const rewrite = (text: string) => ({ write: { "src/base.txt": text } });
  project = await withTasks({ "t-1": [rewrite("x"), rewrite("y")], "*": [rewrite("z"), rewrite("w")] }, [
    "one",
    "two",
  ]);
  project.write("src/base.txt", "mine, unsaved\n");
  const { events } = await project.run("--allow-dirty");
  project.git("gc", "--quiet", "--prune=now");
  const blobs = finished(events).map((event) => {
    return String(/cat-file blob ([0-9a-f]+)/.exec(JSON.stringify(event["warnings"]))?.[1]);
  });
  expect(blobs.length).toBeGreaterThan(3);
  expect(blobs.map((blob) => project.git("cat-file", "blob", blob))).toEqual(
    blobs.map(() => "mine, unsaved"),
  );
  const { stdout } = await project.ralph("log", "t-1");
  expect(stdout).toContain(`to get it back: git cat-file blob ${blobs[0]}`);
  expect(stdout).toContain("attempts 1 and 2 changed nothing but files of yours and had the same error");
});

test("LOOP-9: a person's later version of an overwritten file is the one that the next run names", async () => {
  const rewrite = (text: string) => ({ write: { "src/base.txt": text } });
  project = await withTasks({ "t-1": [rewrite("x"), rewrite("y")] }, ["one"]);
  project.write("src/base.txt", "mine, unsaved\n");
  await project.run("--allow-dirty", "--max-iterations", "1");
  project.write("src/base.txt", "mine, second\n");
  const { events } = await project.run("--allow-dirty", "--max-iterations", "1");
  const blob = String(
    /cat-file blob ([0-9a-f]+)/.exec(JSON.stringify(finished(events)[0]?.["warnings"]))?.[1],
  );
  expect(project.git("cat-file", "blob", blob)).toBe("mine, second");
});

test("LOOP-9: a person's version stays the named one after an attempt that is done", async () => {
  project = await withTasks(
    { "*": [{ write: { "mine.txt": "from {id}\n", "src/{id}.txt": "work on {id}\n" } }] },
    ["one", "two"],
  );
  project.write("mine.txt", "precious\n");
  const { events } = await project.run();
  const warnings = finished(events).map((event) => JSON.stringify(event["warnings"]));
  const blobs = warnings.map((text) => String(/cat-file blob ([0-9a-f]+)/.exec(text)?.[1]));
  expect(blobs.map((blob) => project.git("cat-file", "blob", blob))).toEqual(["precious", "precious"]);
});
