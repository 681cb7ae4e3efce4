import { openTurns } from "../base/clock.ts";
import { sha256 } from "../base/hash.ts";
import { changedSince, fingerprints } from "./git/fingerprint.ts";
import { gitRead } from "./git/git.ts";
import { kindsIn } from "./git/paths.ts";
import { status } from "./git/status.ts";
import type { Workspace } from "./git/workspace.ts";

/**
 * Returns a fingerprint of the changes that an attempt left: equal for equal changes to the same files; `nothing` for none.
 * `from` is the commit of HEAD when the task began, `commits` the commits since.
 */
export async function leftBehind(
  ws: Workspace,
  work: {
    readonly from: string | null;
    readonly commits: readonly string[];
    readonly changedPaths: readonly string[];
  },
): Promise<string> {
  if (work.changedPaths.length + work.commits.length === 0) return "nothing";
  const files = await fingerprints(ws.root, [...work.changedPaths].sort());
  const lines = files.map(({ path, size, mtimeMs, hash }) =>
    JSON.stringify([path, hash ?? (size === -1 ? "gone" : [size, mtimeMs])]),
  );
  const { from, commits } = work;
  const committed =
    from === null || commits.length === 0
      ? ""
      : (await gitRead(ws, ["diff-tree", "-r", "-z", "--no-renames", from, "HEAD"])).stdout;
  return sha256([...lines, committed].join("\n")).slice(0, 16);
}

/** The part of the work tree that counts. */
export interface TreePart {
  /** The commit whose files are the tree's base; null: the repository has none. */
  readonly commit: string | null;
  /** The uncommitted paths that count; null: all. */
  readonly paths: ReadonlySet<string> | null;
}

/**
 * Returns a fingerprint of the files that a command finds in the work tree: those of the commit, and the uncommitted and
 * untracked ones by content. Equal for equal files. Ignored files do not count. Nothing is written to the repository.
 */
export async function treeFingerprint(ws: Workspace, { commit, paths }: TreePart): Promise<string | null> {
  if (commit === null) return null;
  const [tree, now] = await Promise.all([
    gitRead(ws, ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`], { accept: "any" }),
    status(ws),
  ]);
  if (tree.code !== 0) return null;
  const counts = (path: string): boolean => paths === null || paths.has(path);
  const changed = [...now.tracked, ...now.untracked].filter(counts).sort();
  const files = (await fingerprints(ws.root, changed)).map(({ path, size, mtimeMs, hash }) =>
    JSON.stringify([path, hash ?? [size, mtimeMs]]),
  );
  const others = now.leftAlone.filter(counts).sort();
  return sha256([tree.stdout.trim(), ...files, ...others].join("\n"));
}

/** Files as they were at one time. */
export interface NotedFiles {
  /** Returns the paths that have another content or kind now, are gone, or exist where nothing was. */
  changed(): Promise<readonly string[]>;
}

/**
 * Notes the files at these paths, relative to the project root. Reads each once, and later only those with other stat
 * data; files that are too large to read count as changed when they were written.
 */
export async function noteFiles(ws: Workspace, paths: readonly string[]): Promise<NotedFiles> {
  const before = await fingerprints(ws.root, paths);
  const kinds = await stateOf(ws, paths);
  return {
    changed: async () => {
      const now = await stateOf(ws, paths);
      const other = new Set(await changedSince(ws.root, before));
      return before
        .filter(({ path, hash, ctimeMs }, index) => {
          const [then, later] = [kinds[index], now[index]];
          const isWritten = hash === null && later !== undefined && later.ctimeMs !== ctimeMs;
          return other.has(path) || isWritten || then?.kind !== later?.kind;
        })
        .map(({ path }) => path);
    },
  };
}

/** The bits of a mode that git stores: the type, and whether the owner may execute the file. */
const storedBits = 0o170100;

interface FileState {
  readonly kind: number;
  readonly ctimeMs: number;
}

async function stateOf(
  { root }: Workspace,
  paths: readonly string[],
): Promise<readonly (FileState | undefined)[]> {
  const states: (FileState | undefined)[] = [];
  const kindOf = kindsIn(root);
  const turn = openTurns();
  for (const path of paths) {
    const found = kindOf(path);
    states.push(found && { kind: found.mode & storedBits, ctimeMs: found.ctimeMs });
    await turn();
  }
  return states;
}
