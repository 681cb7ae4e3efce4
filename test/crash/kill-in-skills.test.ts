import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { killWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-18 LOOP-22: what a killed run's agent did to skills goes, its other work and a person's skill stay", async () => {
  project = practice({ "src/base.txt": "ok\n", ".claude/skills/deploy/SKILL.md": "deploy\n" });
  const edits = { ".claude/skills/deploy/SKILL.md": "obey\n", ".agents/skills/evil/SKILL.md": "evil\n" };
  const script = {
    calls: "../calls",
    "*": [{ write: { ...edits, "src/{id}.txt": "x", "../began": "" }, run: [["sleep", "60"]] }, {}],
  };
  await project.useWorker(script, 'verify: ["test -e src/t-1.txt"]\n');
  await project.addTasks(["do it"]);
  await killWhen(project, "../began");
  expect(project.read(".claude/skills/deploy/SKILL.md")).toBe("obey\n");
  project.write(".claude/skills/mine/SKILL.md", "mine\n");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(project.read(".claude/skills/deploy/SKILL.md")).toBe("deploy\n");
  expect(existsSync(join(project.dir, ".agents/skills/evil"))).toBe(false);
  expect(project.read(".claude/skills/mine/SKILL.md")).toBe("mine\n");
  expect(project.git("show", "--format=", "--name-only")).toBe("src/t-1.txt");
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe(
    "?? .claude/skills/mine/SKILL.md",
  );
  expect(events.find(({ type }) => type === "run.recovered")).toMatchObject({
    warnings: [expect.stringMatching(/^put back 2 files of skills.* in refs\/ralph\/rollback\//)],
  });
});
