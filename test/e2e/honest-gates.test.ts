import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { RunReport } from "../../src/events/run-summary.ts";
import type { WorkerScript } from "../fakes/worker-script.ts";
import { variants } from "../test-size.ts";
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
  test.each(
    variants(
      [
        ["node --test 2>&1 | tail -20", "write `bash -o pipefail -c 'node --test 2>&1 | tail -20'`"],
        ["node --test || true", "write `node --test`"],
        ["npm run piped", "write `bash -o pipefail -c 'node --test | cat'` there"],
        ["sh ci.sh", "begin it with `set -e`"],
      ],
      1,
    ),
  )("%s: the runner's own count is not a pass, and the header names the form", async (command, fix) => {
    await start([command]);
    const { code, events } = await project.run("--max-attempts", "1");
    expect(code).toBe(4);
    expect(finished(events)[0]).toMatchObject({ outcome: "failed", verification: "failed" });
    expect(finished(events)[0]?.["reason"]).toMatch(/exit code 0, but its summary counts 1 failure: .*; /);
    expect(warningsOf(events).join()).toContain(`passes also when a test fails: `);
    expect(warningsOf(events).join()).toContain(fix);
  });

  test("where the output is hidden, the header, doctor and verify name the form", async () => {
    await start(["node --test > ../o.log 2>&1 & wait"]);
    const warning = "passes also when a test fails: `&` runs `node --test > ../o.log 2>&1`";
    const { events } = await project.run();
    expect(warningsOf(events).join()).toContain(warning);
    expect((await project.ralph("doctor")).stdout).toContain("write `node --test > ../o.log 2>&1`");
    expect((await project.ralph("verify")).stderr).toContain(warning);
  });

  test("init names the form beside the result of its trial", async () => {
    project = practice(files);
    const { stdout } = await project.ralph(
      "init",
      "--agent",
      "command",
      "--verify",
      "node --test; echo finished",
    );
    expect(stdout).toContain("exit code 0, but its summary counts 1 failure");
    expect(stdout).toContain("write `node --test && echo finished`");
  });

  test("a command that only passes says that no test runs", async () => {
    await start(["true"]);
    expect(warningsOf((await project.run()).events)).toContain("`true` always passes: it runs no test");
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
});

describe("LOOP-24 LOOP-20: one flake costs no session", () => {
  /** Fails at its calls of these numbers. */
  const failingAt = (calls: string) =>
    `n=$(($(cat ../n 2>/dev/null || echo 0) + 1)); echo $n > ../n; case " ${calls} " in *" $n "*) echo no; exit 1;; esac\n`;
  const run = async (
    calls: string,
    { script, flags = [] }: { script?: WorkerScript; flags?: string[] } = {},
  ) => {
    project = practice({ "check.sh": failingAt(calls) });
    const config = 'verifyBaseline: auto\nverify: ["sh check.sh"]\n';
    await project.useWorker(script ?? { "*": [edits] }, config);
    await project.addTasks(["one"]);
    return project.run(...flags);
  };
  const attempts = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);
  const helped = (events: readonly RunEvent[]) =>
    (events.at(-1)?.["report"] as RunReport | undefined)?.memory.helped ?? [];
  const flaky = "`sh check.sh` is flaky: it failed (exit code 1), and passed when repeated";

  test("in the baseline: it is repeated once, and named", async () => {
    const { code, events } = await run("1");
    expect([code, attempts(events)]).toEqual([0, ["done"]]);
    const baseline = events.find(({ type }) => type === "baseline.finished");
    expect(baseline).toMatchObject({ passed: true, flaky: [flaky] });
  });

  test("in an attempt: it is repeated once, and named", async () => {
    const { code, events } = await run("2");
    expect([code, attempts(events)]).toEqual([0, ["done"]]);
    expect(finished(events)[0]?.["warnings"]).toContain(flaky);
    expect(helped(events)).toEqual([]);
  });

  test("a baseline that fails twice stops the run", async () => {
    const { code, events } = await run("1 2");
    expect([code, attempts(events)]).toEqual([4, []]);
  });

  test.each([
    ["changed nothing more", { "t-1": [edits, { say: "<task-done>t-1</task-done>" }] }, [], []],
    [
      "saw the failure and changed the work",
      { "t-1": [edits, { write: { "src/{id}.txt": "more\n" } }] },
      [],
      ["t-1 passed on attempt 2, with 1 earlier failure in its prompt"],
    ],
  ])(
    "memory helped only an attempt that saw it and changed the work: it %s",
    async (_, script, flags, hows) => {
      const { code, events } = await run("2 3", { script, flags });
      expect([code, attempts(events)]).toEqual([0, ["failed", "done"]]);
      expect(helped(events).map(({ how }) => how)).toEqual(hows);
    },
  );
});

const knowsPipefail = spawnSync("/bin/sh", ["-c", "set -o pipefail"]).status === 0;
test.skipIf(knowsPipefail)(
  "LOOP-21: a command for bash ends the run before a session, with the way to write it",
  async () => {
    project = practice({ "package.json": '{ "scripts": { "test": "exit 0" } }\n' });
    const command = "set -o pipefail; npm test | cat";
    await project.useWorker({ "*": [edits] }, `verifyBaseline: auto\nverify: ["${command}"]\n`);
    await project.addTasks(["one"]);
    const { code, events } = await project.run();
    expect([code, finished(events)]).toEqual([5, []]);
    expect(events.at(-1)?.["hint"]).toContain(`verify runs in /bin/sh, which says`);
    expect(events.at(-1)?.["hint"]).toContain(`write \`bash -c '${command}'\``);
  },
);

describe("UX-5 LOOP-4: no configuration by accident", () => {
  test("a file of .ralph with nearly the right name is refused", async () => {
    project = practice();
    for (const name of ["config.yml", "config.toml"]) {
      project.write(`.ralph/${name}`, 'verify: ["npm test"]\n');
      const { code, stderr } = await project.ralph("run");
      expect(code, name).toBe(2);
      expect(stderr).toContain(`configuration not read: .ralph/${name} is not .ralph/config.yaml`);
      expect(stderr).toContain(
        name.endsWith("toml") ? "write it as YAML" : `mv .ralph/${name} .ralph/config.yaml`,
      );
      rmSync(join(project.dir, ".ralph", name));
    }
  });

  test("without a configuration and verification, a run needs an answer before the first session", async () => {
    project = practice();
    await project.addTasks(["one"]);
    const { code, stderr } = await project.ralph("run");
    expect(code).toBe(2);
    expect(stderr).toContain("would work without a configuration, and nothing would verify its work");
    expect(stderr).toContain("ralph run --yes");
  });
});
