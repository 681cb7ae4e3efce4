import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { SkillView } from "../../../memory/skill-actions.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";

/** Returns a skill for `--json`. */
export function skillJson(skill: SkillView): object {
  const { name, category, description, status, tags, files, source, acceptedAt, updatedAt } = skill;
  const { retiredAt, reason } = skill;
  return {
    ...{ name, category, description, status, tags, files, source },
    ...{ acceptedAt, updatedAt, retiredAt, reason },
  };
}

/** `ios26-learned  Patterns and …`. */
export function nameAndText(name: string, text: string, width: number): SafeText {
  return safe`${storedText(name).padEnd(width)}  ${storedLine(text, 160)}`;
}
