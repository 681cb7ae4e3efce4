import { RalphError } from "../base/errors.ts";
import { type GitResult, git, gitRead, lastLines } from "./git/git.ts";
import type { Workspace } from "./git/workspace.ts";

/** Milliseconds for one fetch or push. */
const transferMs = 10 * 60_000;

/** A branch of a remote. */
export interface RemoteBranch {
  readonly remote: string;
  readonly branch: string;
}

const tracking = /^refs\/remotes\/([^/]+)\/(.+)$/;

/** Returns the ref by which this repository follows a branch of a remote. */
export function trackingRef({ remote, branch }: RemoteBranch): string {
  return `refs/remotes/${remote}/${branch}`;
}

/** Returns the branch that such a ref follows; null for any other ref. */
export function remoteBranchOf(ref: string): RemoteBranch | null {
  const [, remote, branch] = tracking.exec(ref) ?? [];
  return remote === undefined || branch === undefined ? null : { remote, branch };
}

/** The end of a fetch or push. `why` is a clause. */
export type Transfer =
  | { readonly state: "done" }
  /** `moved`: the branch has other commits there. `absent`: the remote has no such ref. */
  | { readonly state: "moved" | "absent" | "refused" | "unreachable"; readonly why: string };

/** Makes refs those of the remote (`+refs/heads/main:refs/remotes/origin/main`). Starts no hook. */
export async function fetchRefs(ws: Workspace, remote: string, refs: readonly string[]): Promise<Transfer> {
  const args = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
  const options = { accept: "any", timeoutMs: transferMs } as const;
  return endOf(await git(ws, [...args, remote, ...refs], options));
}

/** Pushes refs by a person's credentials, never by force; with `hooks` through their pre-push hook. */
export async function pushRefs(
  ws: Workspace,
  remote: string,
  refs: readonly string[],
  { hooks = true }: { readonly hooks?: boolean } = {},
): Promise<Transfer> {
  const options = { accept: "any", hooks, timeoutMs: transferMs } as const;
  return endOf(await git(ws, ["push", "--quiet", "--no-follow-tags", remote, ...refs], options));
}

/** Asks the remote for this branch, and whether it takes pushes, without changing anything. */
export async function tryRemote(ws: Workspace, { remote, branch }: RemoteBranch): Promise<Transfer> {
  const ref = `refs/heads/${branch}`;
  const options = { accept: "any", timeoutMs: 30_000 } as const;
  const listed = await gitRead(ws, ["ls-remote", "--quiet", "--exit-code", remote, ref], options);
  if (listed.code === 2) return { state: "absent", why: `it has no branch ${branch}` };
  if (listed.code !== 0) return endOf(listed);
  const args = ["push", "--quiet", "--dry-run", "--no-verify", remote, "HEAD:refs/ralph/try"];
  return endOf(await git(ws, args, options));
}

const moved = /non-fast-forward|fetch first|cannot lock ref|failed to update ref|incorrect old value/i;
const isProtected = /protected branch|GH006|GH013|not allowed to push code to protected/i;
const forbidden = /permission|denied|forbidden|\b40[13]\b|authentication|could not read (?:user|pass)/i;

/** The lines that git adds to each push that fails. */
const noise = /^(?:To |hint: |error: failed to push ).*$/gm;

function endOf({ code, stderr, timedOut }: GitResult): Transfer {
  if (code === 0) return { state: "done" };
  const last = lastLines(stderr.replaceAll(noise, ""), 3).replaceAll(/\s*\n\s*/g, " ");
  if (timedOut) return { state: "unreachable", why: "it took longer than 10 minutes" };
  if (/couldn't find remote ref/i.test(stderr)) return { state: "absent", why: last };
  if (isProtected.test(stderr)) return { state: "refused", why: `the branch is protected there: ${last}` };
  if (forbidden.test(stderr)) return { state: "refused", why: `you may not push there: ${last}` };
  if (/hook declined/i.test(stderr)) return { state: "refused", why: `a hook refused it: ${last}` };
  if (moved.test(stderr)) {
    const others = `the branch has other commits there, and ralph never force-pushes: ${last}`;
    return { state: "moved", why: others };
  }
  const why = last || `git ended with exit code ${code}`;
  return { state: /rejected\]/.test(stderr) ? "refused" : "unreachable", why };
}

/** Returns the error for a remote that cannot be used, with what a person can do. */
export function remoteError(
  { remote, branch }: RemoteBranch,
  { state, why }: Exclude<Transfer, { readonly state: "done" }>,
): RalphError {
  const wait = "verified work waits for it, and `ralph run` lands it";
  const ways = {
    moved: "run `ralph run` again",
    absent: `push it again: git push ${remote} ${branch}; ${wait}`,
    refused: `allow this user to push to ${branch} there, or name another branch with --branch; ${wait}`,
    unreachable: `check it with: git ls-remote ${remote}; ${wait}`,
  };
  const what = state === "unreachable" ? "cannot be reached" : `does not take ${branch}`;
  return new RalphError("RALPH_GIT_REMOTE", `the remote ${remote} ${what}: ${why}`, { hint: ways[state] });
}
