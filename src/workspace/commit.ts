import { RalphError } from "../base/errors.ts";
import { cleanText } from "../base/text.ts";
import { type GitResult, git, gitRead, lastLines, splitNul } from "./git/git.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { readHead } from "./git/read-head.ts";
import { stagedAsSeen } from "./git/seen-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./workspace.ts";

interface CommitRequest {
  /** Relative to the project root: exactly these are committed, new, changed or deleted. */
  readonly paths: readonly string[];
  readonly message: string;
  /** False: the repository's hooks do not run, as they may not be the user's any more. Default true. */
  readonly hooks?: boolean;
  /** For hooks and signing; default ten minutes. */
  readonly timeoutMs?: number;
  /** Called once git commits, which this process would only wait for. */
  readonly meanwhile?: () => void;
}

export interface Committed {
  /** The commit made, or HEAD when there was nothing to commit. */
  readonly hash: string;
  readonly created: boolean;
}

/**
 * Commits these paths in the user's name; whatever else is staged stays staged and out of the commit.
 * Errors: RALPH_GIT_COMMIT_FAILED (a hook or signing said no), RALPH_GIT_LOCKED, RALPH_GIT_NO_COMMIT.
 */
export async function commitPaths(ws: Workspace, request: CommitRequest): Promise<Committed> {
  const before = await headHash(ws);
  const paths = request.paths.filter((path) => !path.endsWith("/")).map((path) => ws.prefix + path);
  if (paths.length === 0) return { hash: before, created: false };
  const wanted = new Set(paths);
  const seen = stagedAsSeen(ws, before);
  // Side by side: whether it sees the index before or after makes no difference to what is not ours.
  const [staged] = await Promise.all([seen ?? differsFrom(ws, before), stagePaths(ws, paths)]);
  const isAlone = staged.every((path) => wanted.has(path));
  if (isAlone && (await committedOrNothing(ws, request, before)) === "nothing")
    return { hash: before, created: false };
  if (isAlone) return { hash: await headHash(ws), created: true };
  if (!(await differsFrom(ws, before)).some((path) => wanted.has(path)))
    return { hash: before, created: false };
  await withPrivateIndex(ws, before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    await commitIndex(ws, request, { before, indexFile });
  });
  return { hash: await headHash(ws), created: true };
}

/**
 * The newest commit between `base` and HEAD whose message ends with the trailer `trailer: value`; undefined when there
 * is none.
 */
export async function findCommit(
  ws: Workspace,
  search: { readonly base: string; readonly trailer: string; readonly value: string },
): Promise<string | undefined> {
  const { hash } = await readHead(ws);
  if (hash === null || hash === search.base) return undefined;
  const { stdout } = await gitRead(ws, [
    "log",
    "-z",
    "--no-show-signature",
    "--format=%H%n%B",
    `${search.base}..HEAD`,
  ]);
  const line = `${search.trailer}: ${search.value}`;
  const commit = splitNul(stdout).find((entry) => lastParagraph(entry).includes(line));
  return commit?.slice(0, commit.indexOf("\n"));
}

/**
 * Makes a branch at HEAD and goes to it; the files stay as they are. Being on it already is fine.
 * Errors: RALPH_GIT_BRANCH when the name is no branch name or taken.
 */
export async function createBranch(ws: Workspace, name: string): Promise<void> {
  if ((await readHead(ws)).ref === `refs/heads/${name}`) return;
  const { code, stderr } = await git(ws, ["switch", "--quiet", "--no-track", "-c", name], { accept: "any" });
  if (code === 0) return;
  const taken = /already exists/.test(stderr);
  const why = taken ? "there is one already" : lastLines(stderr, 1).replace(/^fatal: /, "");
  throw new RalphError("RALPH_GIT_BRANCH", `Branch "${name}" was not created: ${why}`, {
    hint: taken ? await hintForTaken(ws, name) : "Choose another name.",
  });
}

/** A branch that another work tree is on cannot be gone to. */
async function hintForTaken(ws: Workspace, name: string): Promise<string> {
  const args = ["for-each-ref", "--format=%(worktreepath)", `refs/heads/${name}`];
  const place = (await gitRead(ws, args, { accept: "any" })).stdout.trim();
  const goThere =
    place === ""
      ? `git switch ${name}, then run without --branch`
      : `it is checked out in ${place}: run there`;
  return `${goThere}; or choose another name.`;
}

/** The commits that `to` has and `from` has not, newest first; only those that touch the project. */
export async function commitsBetween(ws: Workspace, from: string, to: string): Promise<readonly string[]> {
  const below = ws.prefix === "" ? [] : ["--", ws.prefix];
  const { stdout } = await gitRead(ws, ["rev-list", `${from}..${to}`, ...below]);
  return stdout.split("\n").filter(Boolean);
}

/** The commits that reverts since `base` have taken back, by what git writes into their messages. */
export async function revertedSince(ws: Workspace, base: string): Promise<ReadonlySet<string>> {
  const { stdout } = await gitRead(ws, [
    "log",
    "-z",
    "--no-show-signature",
    "--format=%H%n%B",
    `${base}..HEAD`,
  ]);
  const reverted = new Set<string>();
  // Newest first: a revert that was itself reverted takes nothing back.
  for (const entry of splitNul(stdout)) {
    if (reverted.has(entry.slice(0, entry.indexOf("\n")))) continue;
    for (const [, hash] of entry.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm))
      if (hash) reverted.add(hash);
  }
  return reverted;
}

/**
 * Reverts commits, the newest given first, each by a commit of its own; gives the new HEAD. When one cannot be
 * reverted, none is. Error: RALPH_GIT_REVERT_FAILED.
 */
export async function revertCommit(ws: Workspace, ...hashes: readonly string[]): Promise<string> {
  const odd = hashes.find((hash) => !/^[0-9a-f]{7,64}$/.test(hash));
  if (odd !== undefined) throw new RalphError("RALPH_GIT_REVERT_FAILED", `"${odd}" is no commit.`);
  const result = await git(ws, ["revert", "--no-edit", ...hashes], { accept: "any" });
  if (result.code === 0) return headHash(ws);
  const conflicts = await gitRead(ws, ["diff-files", "-z", "--name-only", "--diff-filter=U"]);
  const started = await gitRead(ws, ["rev-parse", "--verify", "--quiet", "REVERT_HEAD"], { accept: "any" });
  if (started.code === 0) await git(ws, ["revert", "--abort"]);
  const names = [...new Set(splitNul(conflicts.stdout))].join(", ");
  const why =
    names === "" ? lastLines(result.stderr || result.stdout, 3) : `later changes are in the way in ${names}`;
  throw new RalphError("RALPH_GIT_REVERT_FAILED", `Not reverted, ${hashes.join(", ")}: ${why}`, {
    hint: `To do it by hand: git revert ${hashes.join(" ")}`,
  });
}

async function headHash(ws: Workspace): Promise<string> {
  const { hash } = await readHead(ws);
  if (hash !== null) return hash;
  throw new RalphError("RALPH_GIT_NO_COMMIT", `The current branch in ${ws.topLevel} has no commit.`, {
    hint: 'git add -A && git commit -m "first commit"',
  });
}

/** Commits the index; git's own refusal of an empty commit is an answer. */
async function committedOrNothing(
  ws: Workspace,
  request: CommitRequest,
  before: string,
): Promise<"committed" | "nothing"> {
  try {
    await commitIndex(ws, request, { before });
    return "committed";
  } catch (error) {
    if ((await differsFrom(ws, before)).length === 0) return "nothing";
    throw error;
  }
}

/** The paths whose index entry differs from that of the commit. */
async function differsFrom(ws: Workspace, commit: string): Promise<string[]> {
  const args = [
    "diff-index",
    "--cached",
    "-z",
    "--name-only",
    "--no-renames",
    "--ignore-submodules=dirty",
    commit,
  ];
  return splitNul((await gitRead(ws, args)).stdout);
}

/** Commits the index as it is. Without a path argument, so that hooks see an ordinary commit. */
async function commitIndex(
  ws: Workspace,
  request: CommitRequest,
  on: { readonly before: string; readonly indexFile?: string },
): Promise<void> {
  const message = `${cleanText(request.message).trimEnd()}\n`;
  const args = ["-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--no-verbose", "--no-status"];
  const committing = git(ws, [...args, "--cleanup=verbatim", "-F", "-"], {
    stdin: message,
    hooks: request.hooks ?? true,
    timeoutMs: request.timeoutMs ?? 600_000,
    accept: "any",
    ...(on.indexFile ? { indexFile: on.indexFile } : {}),
  });
  request.meanwhile?.();
  const result = await committing;
  // Interrupted just after it made the commit, git has done what it was asked for.
  if (result.code !== 0 && (await headHash(ws)) === on.before) throw commitFailed(result);
}

function commitFailed(result: GitResult): RalphError {
  const said = lastLines(`${result.stdout}\n${result.stderr}`, 10);
  const signing = /failed to sign the data|signing failed/i.test(said);
  const why = result.timedOut ? "it did not end in time" : said || `exit code ${result.code}`;
  return new RalphError("RALPH_GIT_COMMIT_FAILED", `git did not commit: ${why}`, {
    hint: signing
      ? "Unlock the signing key (or set commit.gpgsign to false) and run again."
      : "If a commit hook refused it, run that hook by hand to see why. The changes are still in the tree.",
  });
}

function lastParagraph(message: string): string[] {
  return (
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ""
  )
    .split("\n")
    .map((line) => line.trimEnd());
}
