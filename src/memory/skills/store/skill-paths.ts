import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { SkillFolders } from "../../port/skill-settings.ts";

/** Returns the folders that hold skills, relative to the project. */
export function foldersOf({ layout, dirs }: SkillFolders): readonly string[] {
  return layout === "commands" ? [".claude/commands"] : dirs;
}

/**
 * Returns the files of a skill, relative to the project. A folder that is a link to another of the folders is left out,
 * because it shows the same files.
 */
export function pathsOfSkill(root: string, folders: SkillFolders, name: string): readonly string[] {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    throw new Error(`not a skill's name: ${JSON.stringify(name)}`);
  const all = foldersOf(folders);
  const own = all.filter((dir) => linkTarget(root, dir, all) === undefined);
  return own.map((dir) => (folders.layout === "commands" ? `${dir}/${name}.md` : `${dir}/${name}/SKILL.md`));
}

/** Returns the folder, one of `folders`, that `dir` is a link to; undefined for a real folder and for other links. */
export function linkTarget(root: string, dir: string, folders: readonly string[]): string | undefined {
  try {
    const [real, realRoot] = [realpathSync.native(join(root, dir)), realpathSync.native(root)];
    if (real === join(realRoot, dir)) return undefined;
    return folders.find((other) => other !== dir && real === join(realRoot, other));
  } catch {
    return undefined;
  }
}
