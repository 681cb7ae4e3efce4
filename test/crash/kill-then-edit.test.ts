import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { type Practice, practice, type RunEvent } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { deadlyGit } from "./deadly-git.ts";
import { killWhen, marked, stopWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

const files = {
  "check.sh": "! grep -rqs BROKEN src\n",
  "src/agent.txt": "a\n",
  "src/both.txt": "a\n",
  "src/person.txt": "a\n",
  "gone/agent.txt": "a\n",
  "lost/person.txt": "a\n",
};
const work =
  "echo agent >> src/agent.txt; echo agent >> src/both.txt; rm gone/agent.txt; echo new > src/new.txt";
const script = {
  "t-1": [{ run: [["sh", "-c", `${work}; touch ../there; sleep 60`]] }, {}],
};
/** Killed in the first session, its edits made; a second session that fails, and one that says it is done. */
async function crashed(config = "", failing = false): Promise<void> {
  project = practice(files);
  const [first] = script["t-1"];
  const steps = failing
    ? [first, { write: { "src/bad.txt": "BROKEN\n" } }, { write: { "src/ok.txt": "ok\n" } }]
    : [first, {}];
  await project.useWorker(
    { calls: join(project.dir, "../calls"), prompts: join(project.dir, "../prompts"), "t-1": steps },
    `verify: ["sh check.sh"]\n${config}`,
  );
  await project.addTasks(["t-1"]);
  await killWhen(project, "../there");
}

const warningsOf = (events: readonly RunEvent[]): string =>
  events.flatMap((event) => (event.type === "run.started" ? (event["warnings"] as string[]) : [])).join("\n");
const committed = (): string => project.git("show", "--format=", "--name-status", "HEAD");

test("LOOP-22 LOOP-11: new files of a person's after a crash are listed and not committed, the agent's are", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await crashed();
  project.write("notes.txt", "mine\n");
  project.write("src/deep/er/notes.txt", "mine\n");
  // An older file that a person moves here keeps its time of modification.
  writeFileSync(join(project.dir, "../old.txt"), "old\n");
  renameSync(join(project.dir, "../old.txt"), join(project.dir, "old.txt"));
  const { code, stderr, events } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect(committed()).toBe("D\tgone/agent.txt\nM\tsrc/agent.txt\nM\tsrc/both.txt\nA\tsrc/new.txt");
  expect(project.git("status", "--porcelain", "-uall")).toBe(
    "?? notes.txt\n?? old.txt\n?? src/deep/er/notes.txt",
  );
  for (const path of ["notes.txt", "old.txt", "src/deep/er/notes.txt"]) {
    expect(warningsOf(events)).toContain(
      `${path} changed since the last run: it is yours and stays as it is`,
    );
  }
  expect(readdirSync(join(project.dir, ".ralph/alive"))).toEqual([]);
  const prompt = readFileSync(join(project.dir, "../prompts/t-1-1.txt"), "utf8");
  const shown =
    "`gone/agent.txt` deleted, `src/agent.txt` +1 -0, `src/both.txt` +1 -0, `src/new.txt` new, +1 -0";
  const lines = shown.split(/, (?=`)/).map((line) => `  - ${line}\n`);
  expect(prompt).toContain(
    `interrupted: ralph was killed. Its changes are in the working folder and are not verified. Read them first and continue from there. Do not make the same change twice:\n${lines.join("").trimEnd()}\n\n`,
  );
});

test("LOOP-22 LOOP-9: a tracked file that a person edits or deletes after a crash is dirty, and never taken", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await crashed("onFailure: rollback\n", true);
  project.write("src/person.txt", "mine\n");
  project.write("src/both.txt", "mine too\n");
  project.write("src/new.txt", "mine as well\n");
  rmSync(join(project.dir, "lost/person.txt"));
  const refused = await project.ralph("run");
  expect(refused.code).toBe(5);
  for (const path of ["src/person.txt", "src/both.txt", "lost/person.txt"])
    expect(refused.stderr).toContain(path);
  expect(refused.stderr).not.toMatch(/agent.txt/);
  const { code, stderr, events } = await project.run("--allow-dirty");
  expect([stderr, code]).toEqual(["", 0]);
  // The changes of the failed attempt and the killed one were rolled back.
  const dirty = " D lost/person.txt\n M src/both.txt\n M src/person.txt\n?? src/new.txt";
  expect(warningsOf(events)).toContain("src/new.txt changed since the last run: it is yours");
  expect(committed()).toBe("A\tsrc/ok.txt");
  expect(project.git("status", "--porcelain", "-uall")).toBe(dirty);
  expect([project.read("src/person.txt"), project.read("src/both.txt")]).toEqual(["mine\n", "mine too\n"]);
});

test("LOOP-22 LOOP-10: what a stopped session left is shown to the task's next session, its cost counted", async () => {
  project = practice({ "src/ok": "" });
  const first = { append: { "list.txt": "one\n" }, cost: 0.25 };
  const script = { calls: join(project.dir, "../calls"), prompts: join(project.dir, "../prompts") };
  const check = "test ! -f hold || (rm hold; touch ../there; sleep 60)";
  await project.useWorker(
    {
      ...script,
      format: "claude-stream-json",
      "t-1": [first, first, { append: { "list.txt": "two\n" } }],
      "*": [{ write: { "src/{id}": "" } }],
    },
    `verify: [${JSON.stringify(check)}]\n`,
  );
  writeFileSync(
    join(project.dir, ".ralph/config.yaml"),
    project.read(".ralph/config.yaml").replace("tiers:", "format: claude-stream-json, tiers:"),
  );
  await project.ralph("trust", "approve", "--yes");
  project.git("commit", "-qam", "format");
  await project.addTasks(["t-1", "t-2"]);
  project.write(".git/info/exclude", "hold\n");
  project.write("hold", "");
  // The first is killed while its work is verified, the second is stopped there.
  await killWhen(project, "../there");
  rmSync(join(project.dir, "../there"));
  project.write("hold", "");
  await stopWhen(project, "../there");
  const log = (await project.json("log", "t-1")) as {
    interruptions: { kind: string; costUsd: number | null }[];
  };
  expect(log.interruptions.map(({ kind, costUsd }) => [kind, costUsd])).toEqual([
    ["crashed", 0.25],
    ["cancelled", 0.25],
  ]);
  // Put aside for another task and back.
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  const { code, events } = await project.run();
  expect([code, events.at(-1)]).toMatchObject([0, { tasks: { done: 2 } }]);
  const prompt = readFileSync(join(project.dir, "../prompts/t-1-1.txt"), "utf8");
  expect(prompt).toContain("interrupted: it was stopped. Its changes");
  expect(prompt).toContain("  - `list.txt` new, +2 -0\n");
});

test("LOOP-22 LOOP-21: verified work that a person edits between a kill and its commit is not committed with the edit", async () => {
  const git = deadlyGit();
  onTestFinished(git.remove);
  project = practice({ "src/a": "a\n" }, { PATH: git.path });
  const work = { write: { "src/a": "verified\n", "src/b": "verified\n" } };
  await project.useWorker({ "t-1": [work] }, 'verify: ["true"]\n');
  await project.addTasks(["t-1"]);
  git.dieAt("commit");
  await project.run();
  expect(git.waits()).toBe(false);
  await marked(project);
  project.write("src/a", "mine\n");
  const refused = await project.ralph("run");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringContaining("src/a changed after ralph was killed"),
  ]);
  expect(project.commits()).toEqual(["configure ralph", "start"]);
  const { code, stderr } = await project.run("--allow-dirty");
  expect([stderr, code, committed()]).toEqual(["", 0, "A\tsrc/b"]);
  // The killed commit had staged what was verified.
  const seen = [project.git("status", "--porcelain"), project.git("show", ":src/a"), project.read("src/a")];
  expect(seen).toEqual(["MM src/a", "verified", "mine\n"]);
});
