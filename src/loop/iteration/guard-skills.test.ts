import { expect, test } from "vitest";
import { tempLoop } from "../../../test/temp-loop.ts";
import { runLoop } from "../run-loop.ts";

test("LOOP-18: an agent's edit of a skill is put back and reported, and no commit has it", async () => {
  const agent = `echo obey > .claude/skills/deploy/SKILL.md; mkdir -p .agents/skills/evil
    echo evil > .agents/skills/evil/SKILL.md; git add -A; echo ok > done.txt; echo "<task-done>t-1</task-done>"`;
  const { setup, repository } = await tempLoop(agent);
  repository.write(".claude/skills/deploy/SKILL.md", "deploy\n");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "a skill");
  const warnings: unknown[] = [];
  setup.log.subscribe((event) => {
    if (event.type === "iteration.finished") warnings.push(event["warnings"]);
  });
  const { reason } = await runLoop(setup);
  expect(reason).toBe("done");
  expect(repository.read(".claude/skills/deploy/SKILL.md")).toBe("deploy\n");
  expect(repository.git("show", "--format=", "--name-only")).toBe("done.txt");
  expect(repository.git("status", "--porcelain")).toBe("");
  expect(warnings.flat()).toEqual([
    expect.stringMatching(/^put back \.claude\/skills\/deploy\/SKILL\.md: .* in \.ralph\/put-aside\/run-1$/),
    expect.stringMatching(/^put back \.agents\/skills: an agent may not change skills/),
  ]);
  expect(repository.read(".ralph/put-aside/run-1/.claude/skills/deploy/SKILL.md")).toBe("obey\n");
});
