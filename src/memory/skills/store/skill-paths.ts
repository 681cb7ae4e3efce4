import { realpathSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../../base/errors.ts";
import type { SkillFolders } from "../../port/skill-settings.ts";
import { commandsFolder } from "./read-skill-files.ts";

/** Returns the folders that hold skills, relative to the project. */
function foldersOf({ layout, dirs }: SkillFolders): readonly string[] {
  return layout === "commands" ? [commandsFolder] : dirs;
}

/**
 * Returns the files of a skill, relative to the project. A folder that is a link to another of the folders is left out,
 * because it shows the same files.
 */
export function pathsOfSkill(root: string, folders: SkillFolders, name: string): readonly string[] {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    throw new Error(`not a skill's name: ${JSON.stringify(name)}`);
  const all = foldersOf(folders);
  const own = all.filter((dir) => !isLinkToOther(root, dir, all));
  return own.map((dir) => (folders.layout === "commands" ? `${dir}/${name}.md` : `${dir}/${name}/SKILL.md`));
}

function isLinkToOther(root: string, dir: string, all: readonly string[]): boolean {
  const base = realPath(root) ?? root;
  const found = realPath(join(base, dir));
  if (found === undefined || found === join(base, dir)) return false;
  return all.some((other) => other !== dir && found === join(base, other));
}

/** Returns undefined where nothing is. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
