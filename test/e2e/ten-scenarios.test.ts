import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { streamFormats } from "../../src/base/shared-settings.ts";
import { killWhen } from "../crash/kill-when.ts";
import { variants } from "../test-size.ts";
import {
  copyOf,
  finished,
  type Practice,
  practice,
  type RunEvent,
  ralphStart,
  withTasks,
} from "./practice.ts";

/*
 * The ten situations in which loops of coding agents lose work, time or trust, each on the built product from the start
 * of a run to its end. More of each:
 *
 *  1  a mere mention            loop.test.ts (SIG-10), src/sigils
 *  2  a limit text              limits.test.ts, test/limits
 *  3  a no-op                   stuck.test.ts
 *  4  SIGTERM, grandchildren    runaways.test.ts, test/runaways, test/signals
 *  5  untracked-only progress   test/git-states
 *  6  an agent that commits     commit-message.test.ts, history.test.ts
 *  7  an error behind a banner  src/outcome/extract-error.test.ts, test/fixtures/output
 *  8  names of every kind       src/workspace/commit.test.ts
 *  9  kill -9, continuation     test/crash
 * 10  a stale lesson            src/memory/learnings
 */

let project: Practice;
afterEach(() => project?.remove());

const outcomes = (events: readonly RunEvent[]): readonly unknown[] =>
  finished(events).map(({ outcome, attempt }) => [outcome, attempt]);
const prompt = (name: string): string => project.read(`../prompts/${name}.txt`);

test("1 3 5 6 7, SIG-10 LOOP-4 LOOP-6 LOOP-16 STRAT-4 FAIL-2 FAIL-4: what agents claim, do and leave in one run", async () => {
  const mention =
    "I will print <task-done>{id}</task-done>, or <promise>COMPLETE</promise>, once the tests pass.";
  const wrong = "I wrote a string where a number belongs.\n\n<task-done>{id}</task-done>";
  project = await withTasks(
    {
      prompts: "../prompts",
      "t-1": [{ write: { "src/a.txt": "{attempt}" }, say: mention }, { write: { "src/a.txt": "{attempt}" } }],
      "t-2": [{ say: "Surely done.\n\n<task-done>{id}</task-done>" }],
      "t-3": [{ write: { "src/new/a.txt": "a\n", "b.txt": "b\n" } }],
      "t-4": [{ write: { "src/own.txt": "mine\n" }, commit: "agent: own commit" }],
      "t-5": [{ write: { "src/t-5.txt": "BROKEN" }, say: wrong }, { write: { "src/t-5.txt": "fine" } }],
    },
    ["mention it", "do nothing", "write new files", "commit it yourself", "declare the number"],
  );
  const before = project.commits().length;
  const { code, events } = await project.run();
  const of = (id: string): readonly RunEvent[] => finished(events.filter(({ taskId }) => taskId === id));
  expect(code).toBe(4);
  // 1: a mere mention of a done sigil finishes nothing.
  expect(outcomes(of("t-1"))).toEqual([
    ["no_sigil", 1],
    ["done", 2],
  ]);
  // 3: a no-op is never done, and is parked after two claims.
  expect(of("t-2").map(({ verification }) => verification)).toEqual(["no_change", "no_change"]);
  const list = (await project.json("task", "list")) as readonly { status: string }[];
  expect(list.map(({ status }) => status)).toEqual(["done", "blocked", "done", "done", "done"]);
  // 5: progress in untracked files alone counts, and is committed.
  expect(outcomes(of("t-3"))).toEqual([["done", 1]]);
  const commit = project.git("log", "--format=%H", "--grep=^write new files$");
  expect(project.git("show", "--name-only", "--format=", commit).split("\n")).toEqual([
    "b.txt",
    "src/new/a.txt",
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
  // 6: the work of an agent that commits it counts, and gets no second commit.
  expect(of("t-4")).toMatchObject([{ outcome: "done", files: ["src/own.txt"] }]);
  expect(project.commits().slice(0, -before)).toEqual([
    "declare the number",
    "agent: own commit",
    "write new files",
    "mention it",
  ]);
  // 7: the retry is shown the error behind screens of banner.
  expect(of("t-5").map(({ outcome, category }) => [outcome, category])).toEqual([
    ["failed", "type_error"],
    ["done", null],
  ]);
  expect(prompt("t-5-2")).toContain("error TS2322: Type 'string' is not assignable to type 'number'.");
  // One line stands for all 3,000.
  expect(prompt("t-5-2").match(/banner line/g)).toHaveLength(1);
  expect(prompt("t-5-1")).not.toContain("Previous Attempts");
});

let plain: Practice;
beforeAll(async () => {
  plain = practice();
  await plain.useWorker({}, 'verify: ["true"]\n');
  await plain.addTasks(["do it"]);
});
afterAll(() => plain.remove());

// Side by side: most of the time each waits for its limit to end.
describe.concurrent("2", { timeout: 120_000 }, () => {
  test.for(variants(streamFormats, 1))(
    "LOOP-8: a limit text of %s, with exit code 0 and 1, costs no attempt",
    async (format, { onTestFinished }) => {
      const say = "You've hit your usage limit. Try again in 1s.";
      const limited = copyOf(plain);
      onTestFinished(() => limited.remove());
      const half = { write: { "half.txt": "half\n" }, say };
      const mention = { say: `The text is there already.\n${say}` };
      const steps = [{ say }, { say, exit: 1 }, mention, half, { write: { "a.txt": "a\n" } }];
      limited.setScript({ calls: "../calls", format, "*": steps });
      limited.write(
        ".ralph/config.yaml",
        limited.read(".ralph/config.yaml").replace("argv:", `format: ${format}, argv:`),
      );
      limited.git("commit", "-qam", "read its stream");
      await limited.approveConfig();
      const { code, events } = await limited.run();
      // An agent that changed something, or says anything else, is judged.
      const judged = ["no_sigil", "no_sigil", "done"].map((outcome, at) => [outcome, at + 1]);
      expect([code, outcomes(events)]).toEqual([0, judged]);
      const waits = events.filter(({ type }) => type === "limit.waiting");
      expect(waits.map(({ kind, resetAt }) => [kind, typeof resetAt])).toEqual(
        Array(2).fill(["rate_limit", "string"]),
      );
    },
  );
});

/** Processes, but this one, whose command line holds `token`. */
function alive(token: string): readonly string[] {
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return others.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(token);
    } catch {
      return false;
    }
  });
}

test.skipIf(!existsSync("/proc/self/cmdline"))(
  "4 LOOP-10: SIGTERM ends the run and every process that its agent began, grandchildren in sessions of their own too",
  async () => {
    const token = `grandchild-${process.pid}-${Date.now()}`;
    // A comment in its command line names it.
    const begin = `setsid sh -c 'setsid sleep 300 & sleep 301; : ${token}' & touch ../begun; sleep 300`;
    project = await withTasks({ "*": [{ run: [["sh", "-c", begin]] }] }, ["do it"]);
    const child = spawn(process.execPath, [...ralphStart, "run"], {
      cwd: project.dir,
      env: project.env,
      stdio: "ignore",
    });
    const ended = new Promise((done) => child.once("exit", (code, signal) => done(signal ?? code)));
    while (child.exitCode === null && !existsSync(join(project.dir, "../begun"))) await sleep(20);
    expect(alive(token)).not.toEqual([]);
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGTERM");
    expect(alive(token)).toEqual([]);
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  },
);

test("8 LOOP-9 TASK-5: apostrophes, spaces and emoji in titles and paths reach prompt, commit, list and log whole", async () => {
  const title = `Don't "forget" the café's 🎉 menu; $(touch pwned) \`x\``;
  const path = "src/it's a 🎉 café/menu, day 1.txt";
  project = practice({ "lists/what's left 📝.md": `# Café\n\n- [ ] ${title}\n` });
  await project.useWorker(
    { prompts: "../prompts", "*": [{ write: { [path]: "BROKEN" } }] },
    `verify: ["true"]\n`,
  );
  await project.answer("task", "import", "lists/what's left 📝.md");
  const [task] = (await project.json("task", "list")) as readonly { id: string; title: string }[];
  expect(task?.title).toBe(title);
  const { code, events } = await project.run();
  expect([code, outcomes(events)]).toEqual([0, [["done", 1]]]);
  expect(project.commits()[0]).toBe(title);
  expect(
    project.git("-c", "core.quotePath=false", "show", "--name-only", "--format=", "HEAD").split("\n"),
  ).toEqual(["lists/what's left 📝.md", path]);
  expect(project.read("lists/what's left 📝.md")).toBe(`# Café\n\n- [x] ${title}\n`);
  expect(prompt(`${task?.id}-1`)).toContain(`\n${title}\n`);
  expect((await project.answer("log", `${task?.id}`)).stdout).toContain(title);
  expect(existsSync(join(project.dir, "pwned"))).toBe(false);
});

test("9 LOOP-11 LOOP-22: after kill -9 the next run continues, and its prompt states what the tree holds", async () => {
  const half = { write: { "src/half.txt": "half\n", "src/base.txt": "ok\nmore\n" } };
  const stay = { ...half, run: [["sh", "-c", "touch ../half-done; sleep 60"]] };
  const script = {
    prompts: "../prompts",
    calls: "../calls",
    "t-1": [stay, { write: { "src/rest.txt": "rest\n" } }],
  };
  project = await withTasks(script, ["in two goes"]);
  await killWhen(project, "../half-done");
  const { code, events } = await project.run();
  expect([code, outcomes(events)]).toEqual([0, [["done", 1]]]);
  expect(prompt("t-1-1")).toMatch(
    /^- The last session on this task was interrupted: ralph was killed\. Its changes .* not verified\..*\n {2}- `src\/base\.txt` \+1 -0\n {2}- `src\/half\.txt` new, \+1 -0$/m,
  );
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
    ...["src/base.txt", "src/half.txt", "src/rest.txt"],
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
});

test("10 LEARN-7: a lesson whose file changed since is shown as such", async () => {
  const lesson = `<learning category="pitfall" tags="prices">src/base.txt holds the prices in whole cents.</learning>`;
  project = await withTasks(
    {
      prompts: "../prompts",
      "t-1": [{ write: { "src/a.txt": "a" }, say: `${lesson}\n<task-done>t-1</task-done>` }],
      "t-2": [{ write: { "src/b.txt": "b" } }],
      "t-3": [{ write: { "src/c.txt": "c" } }],
    },
    ["Read the prices", "Sum the prices in src/base.txt", "Print the prices in src/base.txt"],
  );
  expect((await project.run("--max-iterations", "2")).code).toBe(3);
  project.write("src/base.txt", "prices in euros\n");
  project.git("commit", "-qam", "Prices in euros");
  expect((await project.run()).code).toBe(0);
  const shown = /src\/base\.txt holds the prices in whole cents\. \(l-[0-9a-f]+, today(, [^)]*)?\)/;
  expect(shown.exec(prompt("t-2-1"))?.[1]).toBe(", unproven");
  // One verified success with the lesson in its prompt proves nothing yet.
  expect(shown.exec(prompt("t-3-1"))?.[1]).toBe(", unproven, a cited file has changed since: check it");
});
