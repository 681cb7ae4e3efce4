import { readFileSync, realpathSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { RalphError, systemCode } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { writeFileSafely, writeRefused } from "../../../trust/safe-file.ts";
import type { SkillFolders } from "../../port/skill-settings.ts";
import { isGenerated, mergeSkillFile } from "./merge-skill-file.ts";
import { renderSkill } from "./render-skill.ts";
import type { SkillContent } from "./skill.ts";
import { pathsOfSkill } from "./skill-paths.ts";

/** One file of a skill before and after a change; null: no file. */
export interface SkillFileChange {
  /** Relative to the project. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The content of a skill's place. */
type Found =
  | { readonly kind: "none" }
  | { readonly kind: "generated" | "person"; readonly text: string }
  /** A folder, a link or a device. */
  | { readonly kind: "other" };

/** Returns the changes that write a skill into its folders. Files that a person wrote are left out. Only reads. */
export function planSkillFiles(
  root: string,
  folders: SkillFolders,
  skill: SkillContent,
): readonly SkillFileChange[] {
  return pathsOfSkill(root, folders, skill.name).flatMap((path) => {
    const found = findAt(root, path);
    if (found.kind === "person" || found.kind === "other") return [];
    const before = found.kind === "none" ? null : found.text;
    const after = mergeSkillFile(before, skill);
    return after === undefined ? [] : [{ path, before, after }];
  });
}

/**
 * Returns the changes that remove a skill: a file that is ralph's alone is deleted; of one that a person added to, only
 * the generated part goes, and the markers keep its place. Only reads.
 */
export function planRemoval(
  root: string,
  folders: SkillFolders,
  skill: SkillContent,
): readonly SkillFileChange[] {
  return pathsOfSkill(root, folders, skill.name).flatMap((path) => {
    const found = findAt(root, path);
    if (found.kind !== "generated") return [];
    const before = found.text;
    const isOwn = mergeSkillFile(before, skill) === renderSkill(skill);
    const after = isOwn ? null : (mergeSkillFile(before, { ...skill, body: safe`` }) ?? before);
    return [{ path, before, after }];
  });
}

/** Returns the files that hold this name and that ralph did not generate, relative to the project. */
export function filesOfPersons(root: string, folders: SkillFolders, name: string): readonly string[] {
  return pathsOfSkill(root, folders, name).filter((path) => {
    const { kind } = findAt(root, path);
    return kind === "person" || kind === "other";
  });
}

/**
 * Writes changed files, each atomically, and deletes those without an `after`, with their folder once it is empty. Follows
 * no link. If one fails, those before it are restored. Returns the paths that it changed.
 *
 * @throws RalphError `RALPH_PATH_SYMLINK`, `RALPH_FILE_WRITE` and the others of `writeFileSafely`
 */
export async function writeSkillFiles(
  root: string,
  changes: readonly SkillFileChange[],
): Promise<readonly string[]> {
  const done: SkillFileChange[] = [];
  for (const change of changes.filter(({ before, after }) => before !== after)) {
    try {
      await writeOne(root, change);
    } catch (error) {
      await undoSkillFiles(root, done);
      throw error;
    }
    done.push(change);
  }
  return done.map(({ path }) => path);
}

async function writeOne(root: string, { path, after }: SkillFileChange): Promise<void> {
  if (after === null) removeFile(root, path);
  // The project's file, not a private one.
  else await writeFileSafely(join(root, path), after, { root, mode: 0o644 });
}

/** Undoes changes. */
export async function undoSkillFiles(root: string, changes: readonly SkillFileChange[]): Promise<void> {
  const back = changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
  await writeSkillFiles(root, back);
}

function findAt(root: string, path: string): Found {
  const full = join(root, path);
  try {
    const found = lookAt(full);
    if (!found) return isBelowFile(root, path) ? { kind: "other" } : { kind: "none" };
    if (!found.isFile()) return { kind: "other" };
    const text = readFileSync(full, "utf8");
    return { kind: isGenerated(text) ? "generated" : "person", text };
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return { kind: "other" };
    throw error;
  }
}

/** Checks whether the skill's own folder is a file or a link, which a person put there. */
function isBelowFile(root: string, path: string): boolean {
  if (!path.endsWith("/SKILL.md")) return false;
  const folder = lookAt(dirname(join(root, path)));
  return folder !== undefined && !folder.isDirectory();
}

function removeFile(root: string, path: string): void {
  const full = join(root, path);
  const folder = dirname(full);
  try {
    if (realpathSync.native(folder) !== join(realpathSync.native(root), dirname(path))) throw linked(path);
    unlinkSync(full);
    if (path.endsWith("/SKILL.md")) rmdirSync(folder);
  } catch (error) {
    if (error instanceof RalphError) throw error;
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw writeRefused(path, error);
  }
}

function linked(path: string): RalphError {
  return new RalphError(
    "RALPH_PATH_SYMLINK",
    `cannot remove ${path}: one of its folders is a symbolic link, which ralph does not follow`,
    { hint: "replace it with a real folder" },
  );
}
