import { safe } from "../../src/base/safe-text.ts";
import type { SkillContent } from "../../src/memory/skills/store/skill.ts";

/** A skill as a proposal has it. */
export const glassSkill: SkillContent = {
  name: safe`ios26-learned`,
  category: safe`ios26`,
  description: safe`Patterns for "ios26", learned from verified tasks. Use for tasks about ios26, liquid-glass.`,
  body: safe`# ios26 Patterns (Auto-Generated)\n\n## Learned Patterns\n- GlassEffectContainer required for morphing`,
  tags: [safe`ios26`],
  files: [safe`ClaudeWatch/Views/**`],
  source: { date: "2026-03-01", learningIds: [], taskIds: ["LG1"], runIds: [] },
  evidenceHash: "h",
};
