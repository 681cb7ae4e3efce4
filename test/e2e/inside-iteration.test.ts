import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import {
  duringIteration,
  finished,
  type Practice,
  ralphStart,
  waitForPerson,
  withTasks,
} from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const ralph = [process.execPath, ...ralphStart].join(" ");

/** A project whose agent types `lines`, of a shell, for task t-1; `ralph` is ralph. Their output goes to `../said`. */
async function agentThatTypes(lines: readonly string[], config = 'verify: ["true"]\n'): Promise<Practice> {
  const script = { "t-1": [{ write: { "src/a.txt": "a" }, run: [["sh", "../typed.sh"]] }] };
  project = await withTasks(script, ["One", "Two"], config);
  const text = lines.map((line) => `${line.replaceAll(/\bralph /g, `${ralph} `)}; echo "exit $?"`);
  project.write("../typed.sh", `exec < /dev/null > ../said 2>&1\n${text.join("\n")}\n`);
  return project;
}

const exits = (made: Practice): readonly string[] => made.read("../said").match(/(?<=^exit )\d+$/gm) ?? [];

test("TRUST-9: what an agent types is executed by its run, in the name of its iteration", async () => {
  const made = await agentThatTypes([
    'ralph note add "Dates are in UTC" --type tip',
    'echo "The parser needs UTC, or leap days fail" | ralph memory store - --tags dates',
    'cd src && ralph task add "Document it" --id t-3; cd ..',
    "ralph task list --json",
    "ralph task done t-1",
    "ralph task done t-2",
    "ralph memory get l-000000 --json",
  ]);
  const { code, events } = await made.run("--once");
  expect(code).toBe(3);
  expect(finished(events)).toMatchObject([{ taskId: "t-1", outcome: "done", warnings: [] }]);
  expect(exits(made)).toEqual(["0", "0", "0", "0", "0", "2", "1"]);
  const said = made.read("../said");
  expect(said).toContain("Note added: [tip] Dates are in UTC");
  expect(said).toContain("claim recorded: t-1 is done; ralph verifies it when the agent ends");
  expect(said).toContain("error: cannot mark t-2 as done: your current task is t-1\nhint: ");
  expect(said).toContain('"code":"RALPH_MEMORY_UNKNOWN"');
  const [learning] = (await made.json("memory", "list")) as readonly { readonly provenance: unknown }[];
  expect(learning).toMatchObject({
    lesson: expect.stringContaining("leap days"),
    provenance: { source: "agent", task: "t-1", runId: expect.stringMatching(/^run-/), model: "small" },
  });
  expect(await made.json("note", "list")).toMatchObject({ notes: [{ content: "Dates are in UTC" }] });
  expect(await made.json("task", "list")).toMatchObject([{ id: "t-1" }, { id: "t-2" }, { id: "t-3" }]);
});

// The others: src/cli/door/refuse-inside.test.ts.
const forPersons = [
  "trust approve --yes",
  "task export ../stolen.md",
  "memory approve l-1",
  "config --config /etc/passwd",
];

test("TRUST-9: what only a person may do is refused to an agent, and its run serves no other project", async () => {
  const made = await agentThatTypes([
    ...forPersons.map((words) => `ralph ${words}`),
    "ralph task list -C ../other",
    "ralph task add Theirs --id t-9 -C ../other",
  ]);
  const other = join(made.dir, "../other");
  mkdirSync(join(other, ".git"), { recursive: true });
  writeFileSync(join(other, ".git/HEAD"), "ref: refs/heads/main\n");
  const { events } = await made.run("--once");
  expect(finished(events)).toMatchObject([{ taskId: "t-1", outcome: "done", warnings: [] }]);
  const said = made.read("../said");
  expect(exits(made)).toEqual([...forPersons.map(() => "2"), "5", "0"]);
  const refusals = said.match(/^error: `ralph .*` is not available to the agent working on t-1\nhint: .+$/gm);
  expect(refusals).toHaveLength(forPersons.length - 1);
  expect(said).toContain("error: the agent of an iteration uses its own project");
  expect(existsSync(join(made.dir, "../stolen.md"))).toBe(false);
  // Another project's commands are executed where they are typed.
  expect(existsSync(join(other, ".ralph/progress.db"))).toBe(true);
  expect(await made.json("task", "list")).toMatchObject([{ id: "t-1" }, { id: "t-2" }]);
});

test("TRUST-9: only the agent reaches the run: verification and hooks have no address", async () => {
  const names = "env | grep -c '^RALPH_SOCKET=' || true";
  const made = await agentThatTypes([`{ ${names}; }`], `verify: ["{ ${names}; } > ../verified"]\n`);
  made.write(".git/hooks/pre-commit", `#!/bin/sh\n{ ${names}; } > ../hooked\n`);
  await made.start("trust", "approve", "--yes");
  chmodSync(join(made.dir, ".git/hooks/pre-commit"), 0o755);
  const { events } = await made.run("--once");
  expect(finished(events)).toMatchObject([{ taskId: "t-1", outcome: "done" }]);
  expect(made.read("../said")).toMatch(/^1\n/);
  expect([made.read("../verified"), made.read("../hooked")]).toEqual(["0\n", "0\n"]);
});

test("TRUST-9: a person's commands in another terminal work during an iteration", async () => {
  const script = { "t-1": [{ write: { "src/a.txt": "a" }, run: [waitForPerson] }] };
  project = await withTasks(script, ["One", "Two"], 'verify: ["true"]\n');
  const made = project;
  const run = made.ralph("run", "--once");
  await duringIteration(made, async () => {
    const added = await made.start("task", "add", "Mine", "--id", "t-mine", "--verify", "true");
    expect([added.code, added.stderr]).toEqual([0, expect.not.stringContaining("error")]);
    expect((await made.start("task", "done", "t-mine")).stdout).toContain("done t-mine Mine");
    made.write(".ralph/prompt.md", "{{task}}\n");
    expect((await made.start("trust", "approve", "--yes")).stderr).toContain("approved 1 item");
  });
  expect((await run).code).toBe(3);
  expect(await made.json("task", "list")).toMatchObject([
    { id: "t-1", status: "done" },
    { id: "t-2", status: "pending" },
    { id: "t-mine", status: "done" },
  ]);
});

test("TRUST-9: an agent whose run was killed is told that it has ended", async () => {
  const made = await agentThatTypes(["env > ../env.new; mv ../env.new ../env", "sleep 60"]);
  const options = { cwd: made.dir, env: made.env, stdio: "ignore" } as const;
  const run = spawn(process.execPath, [...ralphStart, "run", "--once"], options);
  const ended = once(run, "exit");
  await vi.waitUntil(() => existsSync(join(made.dir, "../env")), 20_000);
  run.kill("SIGKILL");
  await ended;
  const address = made.read("../env").match(/^RALPH_(?:SOCKET|NONCE|ROOT)=.+$/gm) ?? [];
  const typed = [...address, process.execPath, ...ralphStart, "note", "add", "x"];
  const { status, stderr } = spawnSync("env", typed, { cwd: made.dir, env: made.env, encoding: "utf8" });
  expect([status, stderr]).toEqual([
    5,
    expect.stringMatching(/^error: the run that started this agent has ended\nhint: end your session/),
  ]);
  expect(await made.json("note", "list")).toMatchObject({ notes: [] });
});
