import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { StateRepository } from "./state-repository.ts";

/** Everything that is a person's, by name: content and mode of files, refs, stash, index entries, configuration. */
export type UserData = Readonly<Record<string, string>>;

interface Look {
  /** Folders that are looked at: the repository's, and others that belong to the state. */
  readonly folders?: readonly string[];
  /** True for what the agent wrote, or what ralph was to write: relative to the folder. */
  readonly agents: (path: string) => boolean;
  /** Refs that ralph may move. */
  readonly branch: string;
}

export function userData(repo: StateRepository, { folders = [repo.top], agents, branch }: Look): UserData {
  const found: Record<string, string> = {};
  for (const folder of folders) {
    for (const path of below(folder, "")) {
      if (!agents(path)) found[`${relative(repo.base, folder)}:${path}`] = lookOf(join(folder, path));
    }
  }
  for (const path of gitFiles(repo)) found[`git:${relative(repo.base, path)}`] = lookOf(path);
  for (const line of repo.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n")) {
    const [ref = "", hash = ""] = line.split(" ");
    const isRalphs = ref === branch || ref === "refs/stash" || ref.startsWith("refs/ralph/");
    if (ref !== "" && !isRalphs) found[`ref ${ref}`] = hash;
  }
  const stashes = repo.git("stash", "list", "--format=%H %gs").split("\n").filter(Boolean).reverse();
  stashes.forEach((stash, index) => {
    found[`stash ${index} from the bottom`] = stash;
  });
  // With the marks that a person sets: assume-unchanged, skip-worktree, intent to add.
  const entries = repo.git("ls-files", "-z", "--stage", "-v").split("\0").filter(Boolean);
  for (const entry of entries) {
    const path = entry.slice(entry.indexOf("\t") + 1);
    if (!agents(path)) found[`index ${path} ${/ (\d)\t/.exec(entry)?.[1]}`] = entry;
  }
  return found;
}

/** Configuration, hooks and the notes of an operation in progress. */
function gitFiles(repo: StateRepository): string[] {
  const dirs = new Set(
    ["--git-common-dir", "--absolute-git-dir"].map((what) =>
      repo.git("rev-parse", "--path-format=absolute", what),
    ),
  );
  const watched =
    /^(?:config(?:\.worktree)?|hooks\/.*|info\/.*|MERGE_(?!RR)\w+|CHERRY_PICK_HEAD|REVERT_HEAD|BISECT_\w+|rebase-\w+\/.*|sequencer\/.*|index\.lock|shallow)$/;
  return [...dirs].flatMap((dir) =>
    below(dir, "")
      .filter((path) => watched.test(path))
      .map((path) => join(dir, path)),
  );
}

function lookOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (stats.isDirectory()) return "folder";
  const mode = (stats.mode & 0o7777).toString(8);
  return stats.isFile() ? `${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex")}` : mode;
}

/** Files, links, empty folders: everything but the git folder of the repository itself and ralph's own. */
function below(folder: string, at: string): string[] {
  return readdirSync(join(folder, at), { withFileTypes: true }).flatMap((entry) => {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (at === "" && entry.name === ".git") return [];
    if (entry.name === ".ralph" || entry.name === ".ralph-context.json") return [];
    if (!entry.isDirectory()) return [path];
    const inside = below(folder, path);
    return inside.length > 0 ? inside : [path];
  });
}
