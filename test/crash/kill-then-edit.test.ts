import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent } from "../e2e/practice.ts";
import { killWhen } from "./kill-when.ts";

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
  "t-1": [{ run: [["sh", "-c", `${work}; touch .ralph/there; sleep 60`]] }, {}],
};
/** Killed in the first session, its edits made; a second session that fails, and one that says it is done. */
async function crashed(config = "", failing = false): Promise<void> {
  project = practice(files);
  const [first] = script["t-1"];
  const steps = failing
    ? [first, { write: { "src/bad.txt": "BROKEN\n" } }, { write: { "src/ok.txt": "ok\n" } }]
    : [first, {}];
  await project.useWorker(
    { calls: join(project.dir, "../calls"), "t-1": steps },
    `verify: ["sh check.sh"]\n${config}`,
  );
  await project.ralph("task", "add", "t-1", "--id", "t-1");
  await killWhen(project, ".ralph/there");
}

const warningsOf = (events: readonly RunEvent[]): string =>
  events.flatMap((event) => (event.type === "run.started" ? (event["warnings"] as string[]) : [])).join("\n");
const committed = (): string => project.git("show", "--format=", "--name-status", "HEAD");

test("LOOP-22 LOOP-11: new files of a person's after a crash are listed and not committed, the agent's are", async () => {
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
    expect(warningsOf(events)).toContain(`${path} changed since the last run: it is yours and left alone`);
  }
  expect(readdirSync(join(project.dir, ".ralph/alive"))).toEqual([]);
});

test("LOOP-22 LOOP-9: a tracked file that a person edits or deletes after a crash is dirty, and never taken", async () => {
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
  // What the failed attempt and the killed one changed was rolled back.
  const dirty = " D lost/person.txt\n M src/both.txt\n M src/person.txt\n?? src/new.txt";
  expect(warningsOf(events)).toContain("src/new.txt changed since the last run: it is yours");
  expect(committed()).toBe("A\tsrc/ok.txt");
  expect(project.git("status", "--porcelain", "-uall")).toBe(dirty);
  expect([project.read("src/person.txt"), project.read("src/both.txt")]).toEqual(["mine\n", "mine too\n"]);
});
