import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { marked } from "../crash/kill-when.ts";
import { variants } from "../test-size.ts";
import { duringIteration, finished, type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const ignore = ".env\npriv/\ndist/\n";
const ok = "touch ok";

/** A person has `.env`, `priv/key` and `dist/old.js`, which git ignores; the first task's agent runs the script. */
async function withIgnored(script: string, then = ok): Promise<void> {
  project = practice({ ".gitignore": ignore, "base.txt": "x\n" });
  const step = (commands: string) => ({ run: [["sh", "-c", `echo work >> work.txt; ${commands}`]] });
  await project.useWorker({ "t-1": [step(script), step(then)], "*": [step(ok)] }, 'verify: ["test -e ok"]\n');
  await project.addTasks(["one", "two"]);
  project.write(".env", "a person's 1\n");
  project.write("priv/key", "a person's 2\n");
  project.write("dist/old.js", "a person's 3\n");
}

function expectKept(...files: readonly string[]): void {
  for (const file of files) expect(project.read(file)).toContain("a person's");
  // Only the commits under a rollback ref are kept as they were.
  const refs = ["--branches", "--glob=refs/ralph/salvage", "-p", "--format=%s"];
  expect(project.git("log", ...refs)).not.toContain("a person's");
}

const warningsOf = (events: Parameters<typeof finished>[0]): readonly string[] =>
  finished(events).flatMap((event) => event["warnings"] as string[]);

const all = [".env", "priv/key", "dist/old.js"];
const removals = [
  ["empties .gitignore", ": > .gitignore"],
  ["empties .gitignore and commits everything", ": > .gitignore; git add -A; git commit -qm own"],
  [
    "commits them, and removes them in a later commit",
    "git add -f .env; git commit -qm a; git rm -q --cached .env; git add work.txt; git commit -qm b",
  ],
  ["removes .gitignore and stages everything", "rm .gitignore; git add -A"],
  ["adds the files in spite of it", "git add -f .env priv dist; git commit -qm own"],
] as const;

test.each(variants(removals, 1))(
  "LOOP-9: ignored files of a person are not committed when an agent %s",
  async (_, script) => {
    await withIgnored(`${script}; ${ok}`);
    const { code, events } = await project.run();
    expect(code).toBe(0);
    expectKept(...all);
    expect(warningsOf(events)).toContainEqual(
      expect.stringMatching(/^\.env, which (git ignored before|you had not committed)/),
    );
    expect(project.git("ls-files")).not.toMatch(/env|priv|dist/);
  },
);

test.each(variants(removals, 1))(
  "LOOP-9: ignored files of a person stay when an agent %s, its attempt fails, and other work comes next",
  async (_, script) => {
    await withIgnored(`${script}`);
    const { events } = await project.run();
    expect(finished(events).map(({ outcome }) => outcome)).toEqual(["failed", "done", "done"]);
    expectKept(...all);
  },
);

const beforeKill = [
  ["commits them", ": > .gitignore; git add -A; git commit -qm own"],
  ["empties .gitignore", ": > .gitignore"],
] as const;

test.each(variants(beforeKill, 1))(
  "LOOP-22: ignored files of a person stay after a kill of ralph and an agent that %s",
  async (_, script) => {
    // A file that an agent writes in the moment of a kill can be taken for a person's (docs/decisions/0007).
    const waits = `${script}; sleep 2; touch ../at-work; sleep 60`;
    await withIgnored(waits);
    const { dir, env } = project;
    const run = spawn(process.execPath, [...ralphStart, "run"], { cwd: dir, env, stdio: "ignore" });
    const ended = once(run, "exit");
    await duringIteration(project, async () => run.kill("SIGKILL"));
    await ended;
    await marked(project);
    project.setScript({ "*": [{ run: [["sh", "-c", `echo "$RALPH_TASK_ID" >> work.txt; ${ok}`]] }] });
    const { code, stderr } = await project.run();
    expect([code, stderr]).toEqual([0, ""]);
    expectKept(...all);
    expect(project.git("ls-files")).not.toMatch(/env|priv|dist/);
  },
);

const renames = [
  ["moves", "mv priv/key src.txt; mv .env env.txt", ["src.txt", "env.txt"]],
  ["moves and commits", "mv .env env.txt; git add -A; git commit -qm own", ["env.txt"]],
  ["links", "ln priv/key src.txt; ln .env env.txt", ["src.txt", "env.txt"]],
] as const;

test.each(variants(renames, 1))(
  "LOOP-9: an ignored file that an agent %s to another name is not committed there",
  async (_, script, at) => {
    await withIgnored(`${script}; ${ok}`);
    const { events } = await project.run();
    expectKept(...at);
    expect(warningsOf(events)).toContainEqual(
      expect.stringMatching(/^(env\.txt holds your \.env|env\.txt, which you had)/),
    );
  },
);
