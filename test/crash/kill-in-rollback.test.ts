import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type DeadlyGit, deadlyGit } from "./deadly-git.ts";
import { marked } from "./kill-when.ts";

let project: Practice;
let git: DeadlyGit;
afterEach(() => {
  project?.remove();
  git?.remove();
});

const whole = process.env["RALPH_TEST_KILLS"] !== undefined;
const steps = whole ? ["commit-tree", "read-tree -m -u", "--index-info"] : ["read-tree -m -u"];

/** A first attempt that fails, with a commit of its own, and is rolled back; the second says what it sees. */
async function rolledBackOnce(): Promise<void> {
  git = deadlyGit();
  project = practice(
    { "check.sh": "! grep -rqs BROKEN src\n", "src/base": "base\n", "src/mine": "mine\n" },
    { PATH: git.path },
  );
  const look = "{ ls src; cat src/base; git log --format=%s; } > ../seen; echo good > src/good";
  const fail = "echo x > src/early; git add src/early; git commit -qm early; echo BROKEN >> src/base";
  const attempts = [
    { write: { "src/own": "own\n" }, run: [["sh", "-c", fail]] },
    { run: [["sh", "-c", look]] },
  ];
  const script = { "t-1": attempts };
  await project.useWorker(script, 'onFailure: rollback\nverify: ["sh check.sh"]\n');
  await project.addTasks(["t-1"]);
}

test.each(steps)(
  "LOOP-9 LOOP-11: killed at git's %s in a rollback, the next start finishes it and takes nothing of the person's",
  async (step) => {
    await rolledBackOnce();
    git.dieAt(step);
    await project.run();
    expect(git.waits()).toBe(false);
    const indexes = (): string[] =>
      readdirSync(join(project.dir, ".git")).filter((name) => name.startsWith(".ralph-"));
    expect(indexes()).toHaveLength(1);
    project.write("src/person", "new\n");
    const { code, stderr, events } = await project.run();
    expect([stderr, code, indexes()]).toEqual(["", 0, []]);
    expect(readFileSync(join(project.dir, "../seen"), "utf8").split("\n")).toEqual([
      "base",
      "mine",
      "person",
      "base",
      "configure ralph",
      "start",
      "",
    ]);
    expect(project.git("status", "--porcelain")).toBe("?? src/person");
    const ref = String(events.find(({ type }) => type === "salvage.saved")?.["ref"]);
    expect(ref).toMatch(/^refs\/ralph\/rollback\//);
    expect(project.git("ls-tree", "--name-only", `${ref}:src`)).toBe("base\nearly\nmine\nown");
    expect(project.git("show", `${ref}:src/base`)).toBe("base\nBROKEN");
  },
);

test("LOOP-22 LOOP-9: what a person edits after a kill in a rollback stays, though the rollback named it", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await rolledBackOnce();
  git.dieAt("read-tree -m -u");
  await project.run();
  await marked(project);
  for (const name of ["own", "early"]) project.write(`src/${name}`, "mine\n");
  const { code, stderr, events } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect([project.read("src/own"), project.read("src/early")]).toEqual(["mine\n", "mine\n"]);
  expect(project.git("status", "--porcelain")).toBe("?? src/early\n?? src/own");
  expect(project.commits()).toEqual(["t-1", "configure ralph", "start"]);
  const warnings = events.flatMap((event) => (event.type === "run.started" ? [event["warnings"]] : []));
  expect(String(warnings)).toMatch(
    /src\/own changed since the last run.*src\/early changed|src\/early.*src\/own/,
  );
});
