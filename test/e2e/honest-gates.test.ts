import { afterEach, describe, expect, test } from "vitest";
import type { WorkerScript } from "../fakes/worker-script.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const failing = "const { test } = require('node:test');\ntest('adds', () => { throw new Error('no'); });\n";
const files = {
  "package.json": '{ "scripts": { "test": "node --test", "piped": "node --test | cat" } }\n',
  "test/a.test.js": failing,
  "check.sh": "exit 0\n",
  "ci.sh": "node --test\necho ok\n",
};
const edits = { write: { "src/{id}.txt": "done\n" } };

async function start(verify: readonly string[], script: WorkerScript = { "*": [edits] }): Promise<void> {
  project = practice(files);
  await project.useWorker({ prompts: "../prompts", ...script }, `verify: ${JSON.stringify(verify)}\n`);
  await project.addTasks(["one"]);
}
const warningsOf = (events: readonly RunEvent[]): string[] =>
  events.find(({ type }) => type === "run.started")?.["warnings"] as string[];

describe("LOOP-24: a gate that cannot fail", () => {
  test.each([
    ["npm test 2>&1 | tail -20", "write `bash -o pipefail -c 'npm test 2>&1 | tail -20'`"],
    ["npm test || true", "write `npm test`"],
    ["npm run piped", "write `bash -o pipefail -c 'node --test | cat'` there"],
    ["sh ci.sh", "begin it with `set -e`"],
  ])("%s: the runner's own count is not a pass, and the header names the form", async (command, fix) => {
    await start([command]);
    const { code, events } = await project.run("--max-attempts", "1");
    expect(code).toBe(4);
    expect(finished(events)[0]).toMatchObject({ outcome: "failed", verification: "failed" });
    expect(finished(events)[0]?.["reason"]).toMatch(/exit code 0, but its summary counts 1 failure: .*; /);
    expect(warningsOf(events).join()).toContain(`passes also when a test fails: `);
    expect(warningsOf(events).join()).toContain(fix);
  });

  test("where the output is hidden, the header, doctor and verify name the form", async () => {
    await start(["npm test > ../o.log 2>&1 & wait"]);
    const warning = "passes also when a test fails: `&` runs `npm test > ../o.log 2>&1`";
    const { events } = await project.run();
    expect(warningsOf(events).join()).toContain(warning);
    expect((await project.ralph("doctor")).stdout).toContain("write `npm test > ../o.log 2>&1`");
    expect((await project.ralph("verify")).stderr).toContain(warning);
  });

  test("init names the form beside the result of its trial", async () => {
    project = practice(files);
    const { stdout } = await project.ralph(
      "init",
      "--agent",
      "command",
      "--verify",
      "npm test; echo finished",
    );
    expect(stdout).toContain("exit code 0, but its summary counts 1 failure");
    expect(stdout).toContain("write `npm test && echo finished`");
  });

  test("a command that only passes says that no test runs", async () => {
    await start(["true"]);
    expect(warningsOf((await project.run()).events)).toContain("`true` always passes: it runs no test");
  });

  test("ordinary forms are not named", async () => {
    await start(["cd . && sh check.sh", "FOO=1 sh check.sh && test -f check.sh"]);
    expect(warningsOf((await project.run()).events)).toEqual([]);
  });
});

const done = "<task-done>{id}</task-done>";
const needless = (why: string) => ({
  say: `Looked.\n<no-change-needed>${why}</no-change-needed>\n${done}`,
});

describe("LOOP-4 SIG-6: nothing needs to change", () => {
  test("with the reason, a task whose verification passes is done, and the summary lists it", async () => {
    await start(["sh check.sh"], { "*": [needless("the suite passes already")] });
    const { code, stdout } = await project.ralph("run");
    expect(code).toBe(0);
    expect(stdout).toContain("✓ done without a change: the suite passes already");
    expect(stdout).toMatch(/^ {2}unchanged +t-1 done without a change: the suite passes already$/m);
    expect(project.commits()).toEqual(["configure ralph", "start"]);
  });

  test("a bare claim is a failed attempt, and the next prompt names the way", async () => {
    await start(["sh check.sh"], { "t-1": [{ say: done }, needless("an earlier task did it")] });
    const { code, events } = await project.run();
    expect(code).toBe(0);
    expect(finished(events).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      [
        "failed",
        expect.stringContaining("nothing in the project has changed, and no <no-change-needed> says why"),
      ],
      ["done", "done without a change: an earlier task did it"],
    ]);
    expect(project.read("../prompts/t-1-2.txt")).toContain("`<no-change-needed>why</no-change-needed>`");
  });

  test.each([
    ["verification fails", ["exit 1"], "no bug here"],
    ["no reason is given", ["sh check.sh"], " "],
    ["nothing verifies it", [], "it is there"],
  ])("it does not count where %s", async (_, verify, why) => {
    await start(verify, { "*": [needless(why)] });
    const { code, events } = await project.run("--max-attempts", "1");
    expect([code, finished(events)[0]?.["outcome"]]).toEqual([4, "failed"]);
  });
});
