import type { SafeText } from "../base/safe-text.ts";
import type { Reader } from "../store/db.ts";
import { readSkillFiles } from "./skills/files/read-skill-files.ts";
import { readSkillStats, type SkillStats } from "./skills/measure/skill-stats.ts";
import type { SkillFolders } from "./skills/skill-settings.ts";

/** Returns the metrics object of `ralph skills stats` (SKILL-5). Only reads. */
export async function skillStats(q: Reader): Promise<SkillStats> {
  return readSkillStats(q);
}

/** Counts the skills in a project's folders; `problems`: a line for each that cannot be read. */
export async function examineSkills(
  root: string,
  folders: SkillFolders,
): Promise<{ readonly skills: number; readonly problems: readonly SafeText[] }> {
  const { skills, problems } = await readSkillFiles(root, folders);
  return { skills: skills.length, problems };
}
