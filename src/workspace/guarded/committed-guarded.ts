import { gitRead, splitNul } from "../git/git.ts";
import { withPrivateIndex } from "../git/private-index.ts";
import { readHead } from "../git/read-head.ts";
import { stagedAsSeen } from "../git/seen-index.ts";
import type { Workspace } from "../workspace.ts";

/** The guarded files that a project may have in git. */
const names: readonly string[] = [".ralph/config.yaml", ".ralph/prompt.md", ".ralph/.gitignore"];
/** The folder, which a commit can hold as a link or a submodule: a checkout then replaces all that is in it. */
const folder = ".ralph";

/** The files that ralph keeps for itself. A checkout, a stash or a pull would replace them by what a commit holds. */
const ralphs = /^\.ralph\/(?:progress\.db|events\.jsonl|(?:alive|cache|logs|tmp|put-aside)\/)/;

/** Guarded files whose committed content changed, relative to the project root. */
export interface CommittedGuarded {
  /** Those whose file is as it was: committing them reverts the change. */
  readonly toRevert: readonly string[];
  /** Those whose file also has changes that were never committed: a user's. */
  readonly left: readonly string[];
  /** Those that the commits hold as a user had them, uncommitted. */
  readonly asIs: readonly string[];
  /** Files that ralph keeps for itself, which no commit should hold. */
  readonly ralphs: readonly string[];
}

/**
 * Finds the guarded files that commits since `from` changed (LOOP-18). Their files are restored before; but a later checkout
 * would bring the agent's version back.
 */
export async function committedGuarded(ws: Workspace, from: string): Promise<CommittedGuarded> {
  const all = await differences(ws, [from, "HEAD"]);
  const own = all.filter((path) => ralphs.test(path));
  const changed = all.filter((path) => !ralphs.test(path));
  if (changed.length === 0) return { toRevert: [], left: [], asIs: [], ralphs: own };
  const edited = new Set(await unlike(ws, from));
  const mine = changed.filter((path) => edited.has(path));
  const left = new Set(
    mine.length === 0 ? [] : [...(await unlike(ws, "HEAD")), ...(await missing(ws, mine))],
  );
  return {
    toRevert: changed.filter((path) => !edited.has(path)),
    left: mine.filter((path) => left.has(path)),
    asIs: mine.filter((path) => !left.has(path)),
    ralphs: own,
  };
}

/**
 * Returns the guarded files that are as HEAD has them, but staged otherwise: the next commit would contain what is staged. Starts git
 * only if the status before saw such a file, or is out of date.
 */
export async function stagedGuarded(ws: Workspace): Promise<readonly string[]> {
  const { hash } = await readHead(ws);
  const seen = hash === null ? [] : stagedAsSeen(ws, hash);
  const isGuarded = (path: string): boolean =>
    guarded(ws).includes(path) || ralphs.test(path.slice(ws.prefix.length));
  if (seen && !seen.some(isGuarded)) return [];
  const staged = await differences(ws, ["--cached", "HEAD"]);
  if (staged.length === 0) return [];
  const edited = new Set(await unlike(ws, "HEAD"));
  return staged.filter((path) => ralphs.test(path) || !edited.has(path));
}

/** The paths relative to the top level. */
function guarded(ws: Workspace): readonly string[] {
  return [folder, ...names].map((path) => ws.prefix + path);
}

/**
 * Returns the guarded files that a commit has otherwise than the work tree. Not by the person's index: an agent that takes a file out
 * of it would hide the file.
 */
async function unlike(ws: Workspace, commit: string): Promise<readonly string[]> {
  return withPrivateIndex(ws, commit, (indexFile) => differences(ws, [commit], indexFile));
}

/** Returns the guarded files that differ between two commits, or between a commit and the work tree by an index of it. */
async function differences(
  ws: Workspace,
  commits: readonly string[],
  indexFile?: string,
): Promise<readonly string[]> {
  const command = ["diff", "--name-only", "--no-renames", "-z", ...commits, "--", ...guarded(ws)];
  const { stdout } = await gitRead(ws, command, indexFile === undefined ? {} : { indexFile });
  const found = splitNul(stdout).map((path) => path.slice(ws.prefix.length));
  return found.filter((path) => path === folder || names.includes(path) || ralphs.test(path));
}

/** Returns those of `paths` that HEAD does not hold. */
async function missing(ws: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  const wanted = paths.map((path) => ws.prefix + path);
  const { stdout } = await gitRead(ws, [
    "ls-tree",
    "--full-tree",
    "--name-only",
    "-z",
    "HEAD",
    "--",
    ...wanted,
  ]);
  const held = new Set(splitNul(stdout));
  return paths.filter((path) => !held.has(ws.prefix + path));
}
