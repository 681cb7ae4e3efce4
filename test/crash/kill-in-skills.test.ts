import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { killWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-22: an agent's edit of a skill is work, also after a kill, and a person's skill stays the person's", async () => {
  project = practice({ "src/base.txt": "ok\n", ".claude/skills/deploy/SKILL.md": "deploy\n" });
  const script = {
    calls: "../calls",
    "*": [
      {
        write: { ".claude/skills/deploy/SKILL.md": "deploy twice\n", "src/{id}.txt": "x", "../began": "" },
        run: [["sleep", "60"]],
      },
      {},
    ],
  };
  await project.useWorker(script, 'verify: ["test -e src/t-1.txt"]\n');
  await project.addTasks(["do it"]);
  await killWhen(project, "../began");
  project.write(".claude/skills/mine/SKILL.md", "mine\n");
  expect((await project.run()).code).toBe(0);
  expect(project.git("show", "--format=", "--name-only").split("\n")).toEqual([
    ".claude/skills/deploy/SKILL.md",
    "src/t-1.txt",
  ]);
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe(
    "?? .claude/skills/mine/SKILL.md",
  );
});
