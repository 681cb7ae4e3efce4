import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { type DeadlyGit, deadlyGit } from "./deadly-git.ts";

let project: Practice;
let git: DeadlyGit;
afterEach(() => {
  project?.remove();
  git?.remove();
});

const whole = process.env["RALPH_TEST_KILLS"] !== undefined;
const steps = whole ? ["commit-tree", "read-tree -m -u", "--index-info"] : ["read-tree -m -u"];

test.each(steps)(
  "LOOP-9 LOOP-11: killed at git's %s in a rollback, the next start finishes it and takes nothing of the person's",
  async (step) => {
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
    await project.ralph("task", "add", "t-1", "--id", "t-1");
    git.dieAt(step);
    await project.run();
    expect(git.waits()).toBe(false);
    const indexes = (): string[] =>
      readdirSync(join(project.dir, ".git")).filter((name) => name.startsWith("ralph-index"));
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
