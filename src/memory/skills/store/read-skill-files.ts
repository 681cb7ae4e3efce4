import { closeSync, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { carefulRead } from "../../../base/careful-files.ts";
import { messageOf, systemCode } from "../../../base/errors.ts";
import type { SafeText } from "../../../base/safe-text.ts";
import { safeLine, safeText } from "../../../trust/safe-text.ts";
import type { SkillFolders } from "../../port/skill-settings.ts";
import type { SkillContents } from "./parse-skill-file.ts";
import { foldersOf, linkTarget } from "./skill-paths.ts";

/** One skill of the project's folders, whoever wrote it. */
export interface SkillFile extends Omit<SkillContents, "description" | "body"> {
  /** Lower-case letters, digits and single dashes. */
  readonly name: SafeText;
  readonly description: SafeText;
  /** Its Markdown, without frontmatter. */
  readonly body: SafeText;
  /** The files that hold it, relative to the project: the first one was read, the others have the same name. */
  readonly paths: readonly SafeText[];
}

export interface SkillFiles {
  /** Ordered by name. */
  readonly skills: readonly SkillFile[];
  /** A line for each file or folder that was skipped, with the reason. */
  readonly problems: readonly SafeText[];
}

const maxPerFolder = 200;
/** The specification recommends at most 5,000 tokens. */
const maxBytes = 64 * 1024;
const maxProblems = 20;
const skillName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Reads the skills of the configured folders, at most 200 of each. A skill of several folders counts once. Follows no
 * link; a folder that is a link to another of them holds the same skills. Skips what is malformed and names it in
 * `problems`.
 */
export async function readSkillFiles(root: string, { dirs, layout }: SkillFolders): Promise<SkillFiles> {
  const skills = new Map<string, SkillFile>();
  const problems: SafeText[] = [];
  const skip = (path: string, why: string): void => void problems.push(safeLine(`${path}: ${why}`, 300));
  const folders = foldersOf({ dirs, layout });
  const links = new Map<string, string>();
  for (const dir of folders) {
    const target = linkTarget(root, dir, folders);
    if (target !== undefined) links.set(dir, target);
  }
  for (const dir of folders.filter((one) => !links.has(one))) {
    for (const { name, path } of candidates({ root, dir, layout }, skip)) {
      const first = skills.get(name);
      if (first) {
        skills.set(name, { ...first, paths: [...first.paths, safeText(path)] });
        continue;
      }
      const skill = await readSkill(join(root, path), { name, layout }, (why) => skip(path, why));
      if (skill) skills.set(name, { ...skill, paths: [safeText(path)] });
    }
  }
  const ordered = [...skills.values()]
    .map((skill) => ({ ...skill, paths: [...skill.paths, ...linkedPaths(skill, links)] }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { skills: ordered, problems: problems.slice(0, maxProblems) };
}

/** Returns the paths of a skill through folders that are links to its own. */
function linkedPaths({ paths }: SkillFile, links: ReadonlyMap<string, string>): readonly SafeText[] {
  return [...links].flatMap(([dir, target]) => {
    const path = paths.find((one) => one.startsWith(`${target}/`));
    return path === undefined ? [] : [safeText(`${dir}${path.slice(target.length)}`)];
  });
}

interface Folder {
  readonly root: string;
  readonly dir: string;
  readonly layout: SkillFolders["layout"];
}

type Skip = (path: string, why: string) => void;

/** Returns the names and paths of the skills in a folder, ordered by name. */
function candidates(
  { root, dir, layout }: Folder,
  skip: Skip,
): readonly { readonly name: string; readonly path: string }[] {
  try {
    const folder = join(root, dir);
    if (realpathSync.native(folder) !== join(realpathSync.native(root), dir)) {
      skip(dir, "it is, or is below, a symbolic link, which ralph does not follow");
      return [];
    }
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    const found = entries.flatMap((entry) => {
      const path = `${dir}/${entry.name}`;
      if (entry.isSymbolicLink()) skip(path, "it is a symbolic link, which ralph does not follow");
      else if (layout === "skills" && entry.isDirectory())
        return [{ name: entry.name, path: `${path}/SKILL.md` }];
      else if (layout === "commands" && entry.isFile() && entry.name.endsWith(".md"))
        return [{ name: entry.name.slice(0, -3), path }];
      return [];
    });
    if (found.length > maxPerFolder)
      skip(dir, `only the first ${maxPerFolder} of ${found.length} skills are read`);
    return found.slice(0, maxPerFolder);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") skip(dir, messageOf(error));
    return [];
  }
}

type OneSkill = Omit<SkillFile, "paths">;

/** Skills by path, with the state of their files: a run reads the same ones for each prompt. */
const known = new Map<string, { readonly stamp: string; readonly skill: OneSkill }>();
const maxKnown = 1000;

/** Reads one skill; undefined, with a reason, when there is none or it is malformed. */
async function readSkill(
  path: string,
  { name, layout }: { readonly name: string; readonly layout: SkillFolders["layout"] },
  skip: (why: string) => void,
): Promise<OneSkill | undefined> {
  const before = known.get(path);
  const read = readText(path, before?.stamp, skip);
  if (read === "unchanged") return before?.skill;
  if (read === undefined) return undefined;
  if (!skillName.test(name) || name.length > 64) {
    skip("its name must consist of at most 64 lower-case letters, digits and single dashes");
    return undefined;
  }
  // On demand: it needs the YAML library, and most projects have no skills.
  const { parseSkillFile } = await import("./parse-skill-file.ts");
  const parsed = parseSkillFile(read.text, { file: path, name, layout });
  if (typeof parsed === "string") {
    skip(parsed);
    return undefined;
  }
  const { description, body } = parsed;
  const text = { name: safeText(name), description: safeLine(description), body: safeText(body) };
  const skill = { ...parsed, ...text };
  if (known.size >= maxKnown) known.clear();
  known.set(path, { stamp: read.stamp, skill });
  return skill;
}

interface ReadText {
  readonly text: string;
  /** Differs when the file changed. */
  readonly stamp: string;
}

/** Reads a file, unless its stamp is `before`; undefined, with a reason, if it must not or cannot be read. */
function readText(
  path: string,
  before: string | undefined,
  skip: (why: string) => void,
): ReadText | "unchanged" | undefined {
  try {
    const file = openSync(path, carefulRead);
    try {
      const found = fstatSync(file);
      const stamp = [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(" ");
      if (!found.isFile()) skip("it is not a regular file");
      else if (found.size > maxBytes) skip(`it is larger than ${maxBytes / 1024} KiB`);
      else return stamp === before ? "unchanged" : { text: readFileSync(file, "utf8"), stamp };
      return undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === "ELOOP") skip("it is a symbolic link, which ralph does not follow");
    // A folder without the file is no skill.
    else if (code !== "ENOENT") skip(messageOf(error));
    return undefined;
  }
}
