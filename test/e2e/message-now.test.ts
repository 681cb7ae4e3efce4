import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { jsonLines, type Practice, practice, type RunEvent } from "./practice.ts";
import { eventually, type StartedRun, startRun } from "./started-run.ts";

const codex = resolve(import.meta.dirname, "../fakes/codex-server.mjs");

let project: Practice;
const children: { kill(signal: "SIGKILL"): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  project?.remove();
});

const heard = { steered: true, write: { "done.txt": "x" }, say: "<task-done>t-1</task-done>" };
const tokens = { totalTokens: 250, inputTokens: 240, cachedInputTokens: 0, outputTokens: 10 };
const tokenUsage = { total: tokens, last: tokens, modelContextWindow: 1000 };
const working = [
  { item: { type: "webSearch", query: "begun" } },
  heard,
  { notify: ["thread/tokenUsage/updated", { tokenUsage }] },
  { end: { status: "completed" } },
];

/** One task of a Codex that follows `steps`: by default it waits for a message, then does the task. */
async function codexProject(steps: readonly object[] = working): Promise<Practice> {
  project = practice({ "a.txt": "x" });
  const program = join(project.home, "codex");
  const script = join(project.home, "script.json");
  writeFileSync(
    program,
    `#!/bin/sh\nRALPH_FAKE_SCRIPT=$(cat ${script}) exec ${process.execPath} ${codex} "$@"\n`,
    { mode: 0o755 },
  );
  follow(project, steps);
  project.write(
    ".ralph/config.yaml",
    `agent: codex\nagents: { codex: { program: ${program} } }\nverify: ["test -e done.txt"]\nverifyBaseline: off\n`,
  );
  await project.approveConfig();
  await project.addTasks(["Write done.txt"]);
  return project;
}

function follow(made: Practice, steps: readonly object[]): void {
  made.write("../home/script.json", JSON.stringify({ record: "../home/messages.jsonl", steps }));
}

function start(made: Practice, ...args: string[]): StartedRun {
  const run = startRun(made, ...args);
  children.push(run.child);
  return run;
}

const recorded = (made: Practice): readonly { method?: string; params?: { input?: { text: string }[] } }[] =>
  jsonLines(made.read("../home/messages.jsonl"));

const events = (made: Practice): readonly RunEvent[] => jsonLines(made.read(".ralph/events.jsonl"));

test("AGENT-7 LOOP-13 TRUST-1: --now passes a message to the working Codex, once and redacted, and says so", async () => {
  const made = await codexProject();
  const run = start(made);
  await run.seen("agent.activity");
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const said = await made.ralph("message", "--now", `use the old parser, key ${token}`);
  expect([said.stdout, said.stderr]).toEqual([
    expect.stringMatching(/^m-\w+ was passed to the working agent \(codex, on t-1\)\n$/),
    "",
  ]);
  expect((await run.ended).code).toBe(0);
  const steers = recorded(made).filter(({ method }) => method === "turn/steer");
  expect(steers).toHaveLength(1);
  expect(steers[0]?.params?.input?.[0]?.text).toMatch(
    /^The person who runs [\s\S]+\n\nuse the old parser, key /,
  );
  const [, ...others] = JSON.stringify(recorded(made)).split("old parser");
  expect(others).toHaveLength(1);
  expect(made.read("../home/messages.jsonl")).not.toContain(token);
  expect(made.read(".ralph/events.jsonl")).not.toContain(token);
  const [told] = (await made.json("message", "--list")) as object[];
  expect(told).toMatchObject({ now: "passed", agent: "codex", deliveredTaskId: "t-1", reason: null });
  expect((await made.ralph("message", "--list")).stdout).toMatch(
    /^m-\w+ {2}passed to codex .+ on t-1 {2}use/,
  );
  const { stdout: log } = await made.ralph("log", "t-1");
  expect(log).toMatch(/message m-\w+ passed to codex: use the old parser/);
  expect(log).toMatch(/context 2[45]0 tokens \(2[45]%\)/);
  const types = events(made).flatMap(({ type }) => (type.startsWith("message.") ? [type] : []));
  expect(types).toEqual(["message.added", "message.passing", "message.passed"]);
  expect(events(made).find(({ type }) => type === "message.passed")).toMatchObject({
    jobId: expect.stringMatching(/^r/),
    taskId: "t-1",
    agent: "codex",
  });
  const list = JSON.stringify(await made.json("message", "--list"));
  made.write(".ralph/progress.db", "broken");
  expect((await made.ralph("doctor", "--repair")).code).toBe(0);
  expect(JSON.stringify(await made.json("message", "--list"))).toBe(list);
});

test("FLEET-2 LOOP-13: with several workers a message reaches each of them", async () => {
  const made = await codexProject();
  const record = join(made.home, "messages.jsonl");
  made.write("../home/script.json", JSON.stringify({ record, steps: working }));
  await made.ralph("task", "add", "Write done.txt too", "--id", "t-2");
  const run = start(made, "--workers", "2");
  await run.seen("agent.activity");
  await eventually(() => recorded(made).filter(({ method }) => method === "turn/start").length === 2);
  const { stdout } = await made.ralph("message", "--now", "all of you");
  const reached = [...stdout.matchAll(/ to the working agent \(codex, on (t-\d)\)/g)].map(([, id]) => id);
  expect(reached.toSorted(), stdout).toEqual(["t-1", "t-2"]);
  const steers = recorded(made).filter(({ method }) => method === "turn/steer");
  expect(steers.map(({ params }) => params?.input?.[0]?.text.split("\n").at(-1))).toEqual([
    "all of you",
    "all of you",
  ]);
});

test("AGENT-7 LOOP-13: a message waits for the next iteration where no agent can take it, and the answer says why", async () => {
  project = practice({ "src/base.txt": "x" });
  const wait = ["sh", "-c", "while [ ! -e ../go ]; do sleep 0.05; done"];
  await project.useWorker(
    {
      prompts: "../prompts",
      "t-1": [{ run: [wait], write: { "src/t-1.txt": "x" } }],
      "*": [{ write: { "src/{id}.txt": "x" } }],
    },
    'verify: ["true"]\n',
  );
  await project.addTasks(["work on t-1", "work on t-2"]);
  const idle = await project.ralph("message", "--now", "before any run");
  expect(idle.stdout).toMatch(/^m-\w+ waits for the next iteration: no run is active\n$/);
  const run = start(project);
  await run.seen("iteration.started");
  const deaf = await project.ralph("message", "--now", "to a deaf agent");
  expect(deaf.stdout).toMatch(
    /^m-\w+ waits for the next iteration: the agent does not accept messages while it works\n$/,
  );
  expect(deaf.stderr).toMatch(/hint: run `ralph message --remove m-\w+` to cancel it/);
  const other = await project.json("message", "--now", "--task", "t-2", "only for the second");
  expect(other).toMatchObject({ now: "waits", taskId: "t-2", reason: "the agent works on t-1" });
  project.write("../go", "");
  expect((await run.ended).code).toBe(0);
  const [first, second] = ["t-1-1", "t-2-1"].map((name) => project.read(`../prompts/${name}.txt`));
  expect(first).toContain("before any run");
  expect(first).not.toMatch(/deaf agent|only for the second/);
  expect(second).toContain("to a deaf agent");
  expect(second).toContain("only for the second");
  expect(second).not.toContain("before any run");
});
