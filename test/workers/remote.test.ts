import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent, ralphStart } from "../e2e/practice.ts";
import { runGit } from "../git-shell.ts";

let project: Practice;
afterEach(() => project?.remove());

const bare = (): string => join(dirname(project.dir), "team.git");

/** A clone of a bare repository, whose agent runs this body with the task's id in `$id`, and claims to be done. */
async function cloneWhere(body: string, workers = "{ count: 2, remote: origin }"): Promise<void> {
  project = practice({
    "agent.sh": `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${body}\necho "<task-done>$id</task-done>"\n`,
    "check.sh": "exit 0\n",
    ".gitignore": ".ralph/\n",
  });
  mkdirSync(bare());
  git("init", "-q", "--bare", "-b", "main");
  project.git("remote", "add", "origin", bare());
  project.git("push", "-q", "-u", "origin", "main");
  project.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\nsandbox: off\nworkers: ${workers}\n`,
  );
  await project.approveConfig();
}

const git = (...args: string[]): string => runGit(args, { cwd: bare(), env: project.env }).trimEnd();

/** A hook of the remote that gets the pushed refs. */
function hook(body: string): void {
  writeFileSync(join(bare(), "hooks/pre-receive"), `#!/bin/sh\n${body}\n`);
  chmodSync(join(bare(), "hooks/pre-receive"), 0o755);
}

const landed = (): readonly string[] =>
  git("log", "--format=%(trailers:key=Ralph-Task,valueonly)", "main").split("\n").filter(Boolean).toSorted();

const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

const startsOf = (events: readonly RunEvent[]) => events.filter(({ type }) => type === "iteration.started");

test("FLEET-2: work lands on the remote's branch, and this clone's files and branch stay as they are", async () => {
  await cloneWhere("echo $id > $id.txt");
  await project.addTasks(["one", "two", "three"]);
  const before = project.git("rev-parse", "main");
  const { code, events, stderr } = await project.run();
  expect([code, outcomes(events)], stderr).toEqual([0, ["done", "done", "done"]]);
  expect(landed()).toEqual(["t-1", "t-2", "t-3"]);
  expect(project.git("rev-parse", "main")).toBe(before);
  expect(project.git("rev-parse", "origin/main")).toBe(git("rev-parse", "main"));
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "run.finished", landedOn: "origin/main" });
  project.git("merge", "-q", "--ff-only", "origin/main");
  expect(project.read("t-2.txt")).toBe("t-2\n");
});

test("FLEET-2 UX-4: until the remote's work is taken, status says how to, and names no finished task as not ticked", async () => {
  await cloneWhere("id=$RALPH_TASK_ID; echo $id > $id.txt");
  project.write("tasks.md", "- [ ] 1.1 one\n");
  project.git("add", "tasks.md");
  project.git("commit", "-qm", "a list");
  project.git("push", "-q");
  await project.ralph("task", "import", "tasks.md");
  expect((await project.run()).code).toBe(0);
  expect(git("show", "main:tasks.md")).toContain("[x]");
  const { stdout, stderr } = await project.ralph("status");
  expect(stdout).toContain(
    "origin/main has 1 commit that HEAD does not have; to take them: git merge --ff-only",
  );
  expect(`${stdout}${stderr}`).not.toMatch(/not ticked|task retry/);
  project.git("merge", "-q", "--ff-only", "origin/main");
  expect((await project.ralph("status")).stdout).not.toMatch(/HEAD does not have|not ticked/);
});

test("FLEET-2: one worker lands beside others who push, on a branch that this clone does not have checked out", async () => {
  const other =
    'git clone -q -b team "$HOME/../team.git" "$HOME/$id" && cd "$HOME/$id" && echo $id > other-$id.txt && git add . && git -c user.name=o -c user.email=o@o commit -qm "other $id" && git push -q && cd - > /dev/null';
  await cloneWhere(`${other}; echo $id > $id.txt`, "{ remote: origin }");
  project.git("branch", "team");
  await project.addTasks(["one", "two"]);
  const { code, events, stderr } = await project.run("--branch", "team");
  expect([code, outcomes(events)], stderr).toEqual([0, ["done", "done"]]);
  expect(git("log", "--format=%s", "team").split("\n")).toEqual([
    ...["two", "other t-2", "one", "other t-1", "start"],
  ]);
  expect(project.git("rev-parse", "team")).toBe(git("rev-parse", "team"));
  expect(git("rev-parse", "main")).toBe(project.git("rev-parse", "main"));
});

test("FLEET-2: a push that others came before begins again on their commit, and is verified there", async () => {
  await cloneWhere("echo $id > $id.txt; echo x >> $HOME/sessions", "{ remote: origin }");
  const other =
    'git clone -q "$HOME/../team.git" "$HOME/other" && cd "$HOME/other" && echo y > other.txt && git add . && git -c user.name=o -c user.email=o@o commit -qm other && git push -q';
  // Once the commit is made, and before it is pushed.
  const path = join(project.dir, ".git/hooks/post-commit");
  writeFileSync(path, `#!/bin/sh\n[ -e "$HOME/other" ] || { unset GIT_DIR GIT_INDEX_FILE; ${other}; }\n`);
  chmodSync(path, 0o755);
  await project.addTasks(["one"]);
  const { code, events } = await project.run();
  expect([code, outcomes(events), git("log", "--format=%s", "main").split("\n")]).toEqual([
    ...[0, ["done"], ["one", "other", "start"]],
  ]);
  expect(startsOf(events)).toHaveLength(1);
  expect(git("show", "--format=", "--name-only", "main")).toBe("t-1.txt");
});

test("FLEET-2: a push that is refused once is tried again", async () => {
  await cloneWhere("echo $id > $id.txt");
  hook('[ -e refused ] || { : > refused; echo "try later" >&2; exit 1; }');
  await project.addTasks(["one"]);
  const { code, events } = await project.run();
  expect([code, outcomes(events), landed()]).toEqual([0, ["done"], ["t-1"]]);
});

test("FLEET-2: work whose push is refused waits, with the reason, and lands without another session", async () => {
  await cloneWhere("echo $id > $id.txt");
  hook('echo "main is closed until Monday" >&2; exit 1');
  await project.addTasks(["one", "two"]);
  const { code, stdout } = await project.start("run");
  expect({ code, stdout }).toEqual({
    code: 5,
    stdout: expect.stringMatching(
      /origin does not\s+take\s+main: a hook\s+refused.*main is closed until Monday/s,
    ),
  });
  expect(landed()).toEqual([]);
  rmSync(join(bare(), "hooks/pre-receive"));
  const { events } = await project.run();
  expect([landed(), startsOf(events)]).toEqual([["t-1", "t-2"], []]);
});

test("FLEET-2 LOOP-11: work that was pushed and not recorded before a kill is found by its trailer and recorded once", async () => {
  await cloneWhere("echo $id > $id.txt", "{ remote: origin }");
  // As the push ends, and before ralph hears of it.
  const kill = 'kill -9 "$(cat "$HOME/pid")"; sleep 0.2';
  writeFileSync(join(bare(), "hooks/post-receive"), `#!/bin/sh\n[ -e killed ] || { : > killed; ${kill}; }\n`);
  chmodSync(join(bare(), "hooks/post-receive"), 0o755);
  await project.addTasks(["one"]);
  const run = spawn(process.execPath, [...ralphStart, "run"], {
    ...{ cwd: project.dir, env: project.env, stdio: "ignore" },
  });
  writeFileSync(join(project.home, "pid"), `${run.pid}`);
  const [, signal] = await once(run, "close");
  expect([signal, landed()]).toEqual(["SIGKILL", ["t-1"]]);
  const { code, events } = await project.run();
  expect([code, landed(), startsOf(events)]).toEqual([0, ["t-1"], []]);
  expect(await project.json("task", "show", "t-1")).toMatchObject({ status: "done" });
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("FLEET-2: a failed attempt's work is kept at the remote, from where its retry gets it", async () => {
  const fails = '[ -e "$HOME/$id" ] || { : > "$HOME/$id"; echo half > half.txt; exit 0; }';
  await cloneWhere(`${fails}; cat half.txt > $id.txt`, "{ remote: origin }");
  await project.addTasks(["one"]);
  await project.run("--max-iterations", "1");
  const ref = "refs/ralph/salvage/t-1-1";
  expect(git("for-each-ref", "--format=%(refname)", "refs/ralph")).toBe(ref);
  // As on another machine.
  project.git("update-ref", "-d", ref);
  const { code } = await project.run();
  expect([code, git("show", "main:t-1.txt"), git("for-each-ref", "refs/ralph")]).toEqual([0, "half", ""]);
});

test("FLEET-2 UX-8: with --pr work lands on a branch of the run at the remote, of which the request is asked", async () => {
  await cloneWhere("echo $id > $id.txt");
  await project.addTasks(["one"]);
  const { stdout, stderr } = await project.start("run", "--pr");
  const branch = git("for-each-ref", "--format=%(refname:short)", "refs/heads/ralph");
  expect(branch).toMatch(/^ralph\/run-\w+$/);
  expect(git("log", "--format=%s", branch).split("\n")).toEqual(["one", "start"]);
  expect(stdout + stderr).toContain(`pushed ${branch}; neither gh nor glab`);
});

test("FLEET-2: a remote that cannot be reached, or a detached HEAD, is refused before any agent starts", async () => {
  await cloneWhere("echo $id > $id.txt");
  await project.addTasks(["one"]);
  project.git("checkout", "-q", "--detach");
  expect((await project.ralph("run")).stderr).toContain("on which branch of origin to land");
  project.git("checkout", "-q", "main");
  expect((await project.ralph("doctor")).stdout).toContain("origin has main and takes pushes of this user");
  project.git("remote", "set-url", "origin", "git://127.0.0.1:1/team.git");
  expect(await project.ralph("run")).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/the remote origin cannot be reached: .*refused.*\n.*git ls-remote origin/),
  });
  expect((await project.ralph("doctor")).stdout).toMatch(/✗ remote +the remote origin cannot be reached/);
});
