import { describe, expect, test } from "vitest";
import { safe } from "../../src/base/safe-text.ts";
import { planSkillFiles, writeSkillFiles } from "../../src/memory/skills/files/write-skill-files.ts";
import type { SkillContent } from "../../src/memory/skills/skill.ts";
import { claude, found, newRequest } from "./genuine-claude.ts";
import { type Body, startModelServer } from "./model-server.mjs";

const skill: SkillContent = {
  name: safe`ios26-learned`,
  category: safe`ios26`,
  description: safe`Patterns for "ios26", learned from verified tasks. Use for tasks about ios26, liquid-glass.`,
  body: safe`# ios26 Patterns (Auto-Generated)\n\n## Learned Patterns\n- GlassEffectContainer required for morphing`,
  tags: [safe`ios26`],
  files: [safe`ClaudeWatch/Views/**`],
  source: { date: "2026-03-01", learningIds: [], taskIds: ["LG1"], runIds: [] },
  evidenceHash: "h",
};

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
      await writeSkillFiles(request.cwd, planSkillFiles(request.cwd, folders, skill));
      const { error } = await claude(server.url).run(request);
      await server.close();
      expect(error).toBeNull();
      const listed = `The following skills are available for use with the Skill tool:\n\n- ios26-learned: ${skill.description}\n`;
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
