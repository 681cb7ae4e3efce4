import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { SkillActions, SkillView } from "../../../memory/skill-actions.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type Project, type Session, withProject } from "../../shell/command.ts";

/** Opens the project and its skills, runs `work` and closes the project. */
export async function withSkills<T>(
  session: Session,
  work: (actions: SkillActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, {}, async (project) => {
    return await work(skillsOf(session, project), project);
  });
}

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
