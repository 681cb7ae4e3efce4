import { gitRead, splitNul } from "../git/git.ts";
import type { Workspace } from "../workspace.ts";

/** The guarded files that a project may have in git. */
const names: readonly string[] = [".ralph/config.yaml", ".ralph/prompt.md", ".ralph/.gitignore"];

/** Guarded files whose committed content changed, relative to the project root. */
export interface CommittedGuarded {
  /** Those whose file is as it was: committing them reverts the change. */
  readonly toRevert: readonly string[];
  /** Those whose file also has changes that were never committed: a user's. */
  readonly left: readonly string[];
  /** Those that the commits hold as a user had them, uncommitted. */
  readonly asIs: readonly string[];
}

/**
 * Finds the guarded files that commits since `from` changed (LOOP-18). Their files are restored before; but a later checkout
 * would bring the agent's version back.
 */
export async function committedGuarded(ws: Workspace, from: string): Promise<CommittedGuarded> {
  const paths = names.map((name) => ws.prefix + name);
  const diff = async (...commits: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await gitRead(ws, [
      "diff",
      "--name-only",
      "--no-renames",
      "-z",
      ...commits,
      "--",
      ...paths,
    ]);
    return splitNul(stdout).map((path) => path.slice(ws.prefix.length));
  };
  const changed = await diff(from, "HEAD");
  if (changed.length === 0) return { toRevert: [], left: [], asIs: [] };
  const edited = new Set(await diff(from));
  const mine = changed.filter((path) => edited.has(path));
  const unlike = new Set(mine.length === 0 ? [] : await diff("HEAD"));
  return {
    toRevert: changed.filter((path) => !edited.has(path)),
    left: mine.filter((path) => unlike.has(path)),
    asIs: mine.filter((path) => !unlike.has(path)),
  };
}
