import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

const slow = {
  write: { "src/own": "own\n" },
  run: [["sh", "-c", "git add src/own; git commit -qm own; echo BROKEN > src/bad; touch ../there; sleep 60"]],
};

async function crashed(second: object): Promise<void> {
  project = practice({ "check.sh": "! grep -rqs BROKEN src\n", "src/ok": "" });
  const script = { calls: "../calls", "t-1": [slow, second], "*": [{ write: { "src/{id}": "z\n" } }] };
  await project.useWorker({ ...script, calls: join(project.dir, "../calls") }, 'verify: ["sh check.sh"]\n');
  await project.addTasks(["t-1", "t-2"]);
  await killWhen(project, "../there");
}

const see = { run: [["sh", "-c", "cat src/own src/bad > ../seen; echo fine > src/bad"]] };

test("LOOP-11 LOOP-16: what a person commits after a crash is theirs when another task comes next", async () => {
  await crashed(see);
  project.write("person.txt", "a person's\n");
  project.git("add", "person.txt");
  // A minute after the kill: within a few seconds of it nobody can tell whose a commit is.
  const env = { ...project.env, GIT_COMMITTER_DATE: `@${Math.floor(Date.now() / 1000) + 60} +0000` };
  execFileSync("git", ["commit", "-qm", "a person's own"], { cwd: project.dir, env });
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  const { code, stderr, events } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect(project.commits()).toEqual(["t-1", "t-2", "a person's own", "own", "configure ralph", "start"]);
  expect(project.git("log", "--format=%s", "--", "person.txt")).toBe("a person's own");
  const saved = events.find(({ type }) => type === "salvage.saved");
  expect(saved).toMatchObject({ taskId: "t-1", files: 1 });
  expect(readFileSync(join(project.dir, "../seen"), "utf8")).toBe("own\nBROKEN\n");
  expect(project.git("status", "--porcelain")).toBe("");
});

test("LOOP-11 LOOP-16: what a killed iteration's agent committed is its own as long as no person moved HEAD", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await crashed(see);
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  const { code, stderr } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect(project.commits()).toEqual(["t-1", "t-2", "configure ralph", "start"]);
  expect(readFileSync(join(project.dir, "../seen"), "utf8")).toBe("own\nBROKEN\n");
  expect(project.git("show", "--format=", "--name-only", "HEAD")).toBe("src/bad\nsrc/own");
});
