import type { AgentActivity } from "../port/agent.ts";

const byTool = /^(?:Skill|SlashCommand) \/?([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w-])/;
const byFile = /(?:^|[/\s"'])([a-z0-9]+(?:-[a-z0-9]+)*)\/SKILL\.md\b/g;
const writes = /^(?:Write|Edit|MultiEdit|NotebookEdit) /;
const maxChars = 8000;

/** Returns the names of the skills whose text an activity opens: with the agent's own tool, or by reading the file. */
export function skillsIn({ kind, text }: AgentActivity): readonly string[] {
  if (kind !== "tool" || writes.test(text)) return [];
  const named = byTool.exec(text)?.[1];
  const read = Array.from(text.slice(0, maxChars).matchAll(byFile), ([, name = ""]) => name);
  return [...(named === undefined ? [] : [named]), ...read].filter((name) => name.length <= 64);
}
