import { describe, expect, test } from "vitest";
import { planSkillFiles, writeSkillFiles } from "../../src/memory/skills/store/write-skill-files.ts";
import { claude, found, newRequest } from "./genuine-claude.ts";
import { glassSkill } from "./glass-skill.ts";
import { startModelServer } from "./model-server/model-server.ts";
import type { Body } from "./model-server/step.ts";

const layouts = ["skills", "commands"] as const;

describe.skipIf(!found)("the genuine Claude Code and skills", () => {
  test.each(layouts)(
    "SKILL-3: it lists a skill of ralph among its own, with `layout: %s`",
    async (layout) => {
      const bodies: Body[] = [];
      const server = await startModelServer((body) => {
        bodies.push(body);
        return [{ text: "<task-done>t-1</task-done>" }];
      });
      const request = newRequest();
      const folders = { dirs: [".agents/skills", ".claude/skills"], layout };
      await writeSkillFiles(request.cwd, planSkillFiles(request.cwd, folders, glassSkill));
      const { error } = await claude(server.url).run(request);
      await server.close();
      expect(error).toBeNull();
      const listed = `The following skills are available for use with the Skill tool:\n\n- ios26-learned: ${glassSkill.description}\n`;
      const sent = bodies.flatMap(({ messages }) => texts(messages));
      expect(sent.filter((text) => text.includes(listed))).toHaveLength(1);
    },
  );
});

/** Returns the texts of messages, whose content is a text or a list of blocks. */
function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}
