import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent, ralphStart } from "../e2e/practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** A project whose agent runs this body with the task's id in `$id`, and claims to be done. */
async function agentDoes(body: string, config = "", files: Readonly<Record<string, string>> = {}) {
  project = practice({
    "agent.sh": agentOf(body),
    "check.sh": "exit 0\n",
    ".gitignore": ".ralph/\n.env\n",
    ...files,
  });
  project.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\n${config}`,
  );
  await project.approveConfig();
}

const agentOf = (body: string): string =>
  `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${body}\necho "<task-done>$id</task-done>"\n`;

const landedOn = (events: readonly RunEvent[]): string =>
  String(events.find(({ type }) => type === "run.finished")?.["landedOn"]);

const startsOf = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter(({ type }) => type === "iteration.started");

test("FLEET-2: a person edits, commits and switches branches meanwhile, and nothing of it is touched", async () => {
  // The agent is the person too: it works in the project's own folder, which the sandbox would not let it.
  const meddle =
    'cd "$HOME/../project" && echo mine >> mine.txt && git add mine.txt && git commit -qm mine && git switch -qc side && echo open > open.txt && cd - > /dev/null';
  await agentDoes(`echo $id > $id.txt; [ $id = t-1 ] && { ${meddle}; }; sleep 0.3`, "sandbox: off\n");
  await project.addTasks(["one", "two", "three"]);
  const { code, events } = await project.run("--workers", "2");
  expect(code).toBe(0);
  expect(project.git("branch", "--show-current")).toBe("side");
  expect(project.git("log", "-1", "--format=%s")).toBe("mine");
  expect(project.read("open.txt")).toBe("open\n");
  expect(project.git("ls-tree", "--name-only", landedOn(events))).not.toContain("mine.txt");
  expect(project.git("log", "--format=%an", landedOn(events)).split("\n")).toHaveLength(4);
});

test("FLEET-2: a tree is set up once, with the files of .worktreeinclude, and one slot is enough", async () => {
  await agentDoes(
    "cat .env made.txt > $id.txt; echo $RALPH_WORKER >> $id.txt",
    'verifySetup: ["echo set-up >> made.txt"]\n',
    { ".worktreeinclude": ".env\n", ".gitignore": ".ralph/\n.env\nmade.txt\n" },
  );
  project.write(".env", "KEY=1\n");
  await project.addTasks(["one", "two"]);
  const { code, events } = await project.run("--worktree");
  expect(code).toBe(0);
  const text = "KEY=1\nset-up\n0";
  expect(project.git("show", `${landedOn(events)}:t-1.txt`)).toBe(text);
  expect(project.git("show", `${landedOn(events)}:t-2.txt`)).toBe(text);
});

test("FLEET-2: a set-up that fails ends the run with its output before any agent starts", async () => {
  await agentDoes("echo x > x.txt", 'verifySetup: ["echo no such registry >&2; exit 3"]\n');
  await project.addTasks(["one"]);
  const { code, events } = await project.run("--workers", "2");
  expect(code).toBe(5);
  expect(startsOf(events)).toEqual([]);
  expect(String(events.at(-1)?.["summary"])).toContain("no such registry");
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(project.git("branch", "--list", "ralph/*")).toBe("");
});

test("FLEET-2 TASK-2: a task begins after those that it depends on have landed, also in another slot", async () => {
  await agentDoes("[ $id = t-1 ] && sleep 0.5; ls *.txt > $id.txt 2>/dev/null; true");
  await project.addTasks([
    { id: "t-1", title: "one" },
    { id: "t-2", title: "two", after: ["t-1"] },
    { id: "t-3", title: "three" },
  ]);
  const { code, events } = await project.run("--workers", "3");
  expect(code).toBe(0);
  expect(project.git("show", `${landedOn(events)}:t-2.txt`).split("\n")).toContain("t-1.txt");
});

test("FLEET-2 LOOP-8: a limit that one slot meets holds the others until its reset", async () => {
  const limit =
    'if [ ! -e "$HOME/met" ]; then touch "$HOME/met"; sleep 0.5; echo "You have hit your usage limit. Try again in 3s." >&2; exit 1; fi';
  await agentDoes(`${limit}; sleep 1; echo $id > $id.txt`);
  await project.addTasks(["one", "two", "three", "four"]);
  const { code, events } = await project.run("--workers", "2");
  expect(code).toBe(0);
  const at = (type: string): number => events.findIndex((event) => event.type === type);
  expect(at("limit.waiting")).toBeGreaterThan(0);
  const waiting = events.slice(at("limit.waiting"), at("limit.over"));
  expect(startsOf(waiting)).toEqual([]);
});

test("FLEET-2: the next run continues on a branch that nobody merged, and refuses one that is checked out", async () => {
  await agentDoes("ls *.txt > $id.txt 2>/dev/null; true");
  await project.addTasks(["one"]);
  const first = await project.run("--workers", "2");
  await project.addTasks([{ id: "t-2", title: "two" }]);
  const second = await project.run("--workers", "2");
  expect(landedOn(second.events)).toBe(landedOn(first.events));
  expect(project.git("show", `${landedOn(second.events)}:t-2.txt`)).toContain("t-1.txt");
  await project.addTasks([{ id: "t-3", title: "three" }]);
  const refused = await project.start("run", "--workers", "2", "--branch", "main");
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("workers land on main, but it is checked out"),
  });
});

test("FLEET-2 UX-4: every branch on which work waits is named until it is taken, also by a squash, with the command that takes it", async () => {
  await agentDoes("echo $id > $id.txt");
  await project.addTasks(["one"]);
  const first = await project.run("--workers", "2", "--branch", "night");
  expect(landedOn(first.events)).toBe("night");
  project.write("mine.txt", "mine\n");
  project.git("add", "mine.txt");
  project.git("commit", "-qm", "mine");
  await project.addTasks([{ id: "t-2", title: "two" }]);
  const second = await project.run("--workers", "2");
  const branch = landedOn(second.events);
  const started = second.events.find(({ type }) => type === "run.started");
  const waits = "night has 1 commit that HEAD does not have; to take them: git merge night";
  expect(started?.["warnings"]).toContain(waits);
  expect(second.events.at(-1)).toMatchObject({ type: "run.finished", take: `git merge --ff-only ${branch}` });
  const status = async () => (await project.ralph("status")).stdout;
  expect(await status()).toContain(waits);
  expect(await status()).toContain(`${branch} has 1 commit that HEAD does not have`);
  project.git("merge", "-q", "--ff-only", branch);
  expect(await status()).not.toContain(branch);
  project.git("merge", "-q", "--squash", "night");
  project.git("commit", "-qm", "squashed");
  expect(await status()).not.toContain("HEAD does not have");
});

test("FLEET-2: the next run continues on the branch of `--branch` that nobody merged", async () => {
  await agentDoes("ls *.txt > $id.txt 2>/dev/null; true");
  await project.addTasks(["one"]);
  await project.run("--workers", "2", "--branch", "night");
  await project.addTasks([{ id: "t-2", title: "two" }]);
  const { events } = await project.run("--workers", "2");
  expect(landedOn(events)).toBe("night");
});

/** Runs two tasks whose checks fail together, and signals ralph while it verifies the second one's work beside the first one's. */
async function signalLanding(signal: NodeJS.Signals, allowed: number): Promise<void> {
  await agentDoes(
    "ls limit-* >/dev/null 2>&1 && { rm -f limit-$id; echo $id > $id.txt; } || { echo x > limit-$id; sleep 0.5; }",
    "sandbox: off\n",
    {
      "check.sh": `n=$(ls | grep -c limit-)\n[ $n -gt 1 ] && [ ! -e "$HOME/both" ] && : > "$HOME/both" && sleep 5\n[ $n -le ${allowed} ]\n`,
    },
  );
  await project.addTasks(["one", "two"]);
  const args = [...ralphStart, "run", "--workers", "2"];
  const run = spawn(process.execPath, args, { cwd: project.dir, env: project.env, stdio: "ignore" });
  while (!existsSync(join(project.home, "both")) && run.exitCode === null) await sleep(20);
  run.kill(signal);
  await new Promise((resolve) => run.once("close", resolve));
}

test("FLEET-2 LOOP-11: work that ralph brought to the tip and did not verify there before a kill is verified after it", async () => {
  await signalLanding("SIGKILL", 1);
  const { code, events } = await project.run("--workers", "2");
  const files = project.git("ls-tree", "--name-only", landedOn(events)).split("\n");
  expect([code, files.filter((name) => name.startsWith("limit-"))]).toEqual([0, [expect.any(String)]]);
});

test("FLEET-2 LOOP-12: work whose verification at the tip was stopped lands in the next run, without another session", async () => {
  await signalLanding("SIGTERM", 2);
  const { code, events } = await project.run("--workers", "2");
  const branch = project.git("branch", "--list", "ralph/*", "--format=%(refname:short)");
  const files = project.git("ls-tree", "--name-only", branch).split("\n");
  expect([code, startsOf(events), files.filter((name) => name.startsWith("limit-"))]).toEqual([
    0,
    [],
    ["limit-t-1", "limit-t-2"],
  ]);
});

test("FLEET-2: tasks whose work clashed at the same file begin again one after the other, also in the next run", async () => {
  await agentDoes("echo $id > shared.txt; sleep 0.3", "", { "shared.txt": "nobody\n" });
  await project.addTasks(["a", "b", "c", "d", "e", "f", "g", "h"]);
  const first = await project.run("--workers", "4", "--max-iterations", "4");
  const clashed = finished(first.events).flatMap(({ outcome, taskId }) =>
    outcome === "done" ? [] : [taskId],
  );
  const { code, events } = await project.run("--workers", "4");
  let working = 0;
  const most = events.map(({ type, taskId }) => {
    if (clashed.includes(taskId)) working += { "iteration.started": 1, "iteration.finished": -1 }[type] ?? 0;
    return working;
  });
  expect([code, clashed.length, Math.max(...most)]).toEqual([0, 3, 1]);
});
