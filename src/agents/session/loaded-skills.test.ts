import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import { claudeStream } from "../formats/claude-stream.ts";
import type { AgentActivity } from "../port/agent.ts";
import { skillsIn } from "./loaded-skills.ts";

test("SKILL-5: an agent opens a skill with its own tool, or by reading the skill's file", () => {
  const of = (text: string) => skillsIn({ kind: "tool", text });
  expect(of("Skill ios26-learned")).toEqual(["ios26-learned"]);
  expect(of("SlashCommand /swiftui arg")).toEqual(["swiftui"]);
  expect(of("Read /home/me/app/.claude/skills/deploy/SKILL.md")).toEqual(["deploy"]);
  expect(of("bash -lc 'cat .agents/skills/a-b/SKILL.md skills/c/SKILL.md'")).toEqual(["a-b", "c"]);
  expect(of("Edit .claude/skills/deploy/SKILL.md")).toEqual([]);
  expect(of("Skill")).toEqual([]);
  expect(of("ls .claude/skills")).toEqual([]);
  expect(of("Skill ../../etc")).toEqual([]);
  expect(skillsIn({ kind: "text", text: "I read .claude/skills/deploy/SKILL.md" })).toEqual([]);
});

test("SKILL-5: Claude Code's own tool names the skill that it opens", () => {
  const activities: AgentActivity[] = [];
  const stream = claudeStream(silentHost({ onActivity: (activity) => void activities.push(activity) }));
  const use = { type: "tool_use", id: "1", name: "Skill", input: { skill: "deploy", args: "now" } };
  stream.line?.(JSON.stringify({ type: "assistant", message: { content: [use] } }));
  expect(activities.flatMap(skillsIn)).toEqual(["deploy"]);
});
