import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { nameOf, pathKind } from "../../git/paths.ts";
import { resolveCommit } from "../../git/read-head.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf, copyAside } from "../keep-copies.ts";
import { entriesOf, removeAdded } from "../remembered.ts";

/** The state of operations that go on step by step; the list of steps may name programs. */
const stepwise = /^(?:rebase-merge|rebase-apply|sequencer|BISECT_[A-Z_]+)$/;
/** Each names the commits that the next commit belongs to. */
const oneCommit = /^(?:MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD)$/;
/** Bytes. A merge of hundreds of branches. */
const maxBytes = 64 * 1024;

/** Returns the names of the files by which git knows that an operation is in progress. */
export function operationFiles({ gitDir }: Workspace): readonly string[] {
  return entriesOf(gitDir)
    .map(({ name }) => name)
    .filter((name) => stepwise.test(name) || oneCommit.test(name));
}

/**
 * Moves operations away that were begun since `before` and go on step by step, such as a rebase: the next steps would be an
 * agent's, in a person's hands. A merge, cherry-pick or revert stays, because a commit ends it, unless it names no commit of the
 * repository. Returns a sentence for each. Starts git only for a new merge, cherry-pick or revert.
 */
export async function endBegun(
  ws: Workspace,
  before: readonly string[],
  keepIn: string,
): Promise<readonly string[]> {
  const known = new Set(before);
  const moved: string[] = [];
  for (const name of operationFiles(ws)) {
    if (known.has(name) || (oneCommit.test(name) && (await namesCommits(ws, name)))) continue;
    const path = join(ws.gitDir, name);
    const aside = asideOf(ws, path, keepIn);
    copyAside(path, aside);
    removeAdded(path, aside);
    moved.push(path);
  }
  const to = relative(ws.root, keepIn);
  return moved.map(
    (path) => `moved ${nameOf(ws, path)} to ${to}: the agent left a git operation that it had begun`,
  );
}

async function namesCommits(ws: Workspace, name: string): Promise<boolean> {
  const path = join(ws.gitDir, name);
  const found = pathKind(path);
  if (!found?.isFile() || found.size > maxBytes) return false;
  const hashes = readFileSync(path, "utf8").trim().split("\n");
  if (!hashes.every((hash) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash))) return false;
  for (const hash of hashes) if ((await resolveCommit(ws, hash)) === null) return false;
  return true;
}
