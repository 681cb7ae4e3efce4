import { RalphError } from "../base/errors.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { statFingerprint } from "./git/fingerprint.ts";
import { type GitResult, git, gitRead, lastLines, splitNul } from "./git/git.ts";
import { adoptEntries, stagedSince } from "./git/index-entries.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { readHead } from "./git/read-head.ts";
import { stagedAsSeen } from "./git/seen-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import { type HookEnd, withHookTrace } from "./hooks/hook-trace.ts";
import {
  type AroundHooks,
  canRunHooks,
  type HookIsolation,
  withIsolatedHooks,
} from "./hooks/isolate-hooks.ts";
import type { Workspace } from "./workspace.ts";

interface CommitRequest {
  /** Exactly the paths to commit (new, changed or deleted), relative to the project root. */
  readonly paths: readonly string[];
  readonly message: SafeText;
  /** False: the repository's hooks do not run, because the agent may have changed them. Default true. */
  readonly hooks?: boolean;
  /** How the processes that hooks start are killed with them; absent: they are not. */
  readonly isolation?: HookIsolation;
  /** Around each git that may run hooks; not called where there are none. */
  readonly aroundHooks?: AroundHooks;
  /** For hooks and signing; default ten minutes. */
  readonly timeoutMs?: number;
  /** Called while git commits and this process waits. */
  readonly meanwhile?: () => void;
}

export interface Committed {
  /** The new commit, or HEAD if there was nothing to commit. */
  readonly hash: string;
  readonly created: boolean;
}

/**
 * Commits these paths as the user; other staged changes stay staged and are not committed. Changes of a hook to these paths
 * are committed too: if a hook refuses after changing them, the commit is retried once.
 * Errors: CommitRefused (a hook refused), RALPH_GIT_COMMIT_FAILED (signing, a hook that cannot run),
 * RALPH_GIT_LOCKED, RALPH_GIT_NO_COMMIT.
 */
export async function commitPaths(ws: Workspace, request: CommitRequest): Promise<Committed> {
  const paths = request.paths.filter((path) => !path.endsWith("/")).map((path) => ws.prefix + path);
  if (paths.length === 0) return { hash: await headHash(ws), created: false };
  const first = await tryToCommit(ws, request, paths);
  const last = first.refused && first.touched ? await tryToCommit(ws, request, paths) : first;
  if (last.refused) throw last.refused;
  if (!last.touched) return last.committed;
  return { hash: await amendWith(ws, paths), created: true };
}

type CommitAttempt = { readonly touched: boolean } & (
  | { readonly refused: CommitRefused }
  | { readonly refused?: never; readonly committed: Committed }
);

/** `touched`: files of `paths` were written during the commit, as by a formatting hook. */
async function tryToCommit(
  ws: Workspace,
  request: CommitRequest,
  paths: readonly string[],
): Promise<CommitAttempt> {
  const before = statFingerprint(ws.topLevel, paths);
  const touched = (): boolean => request.hooks !== false && statFingerprint(ws.topLevel, paths) !== before;
  try {
    const committed = await commitStaged(ws, request, paths);
    return { committed, touched: committed.created && touched() };
  } catch (refused) {
    if (refused instanceof CommitRefused) return { refused, touched: touched() };
    throw refused;
  }
}

async function commitStaged(
  ws: Workspace,
  request: CommitRequest,
  paths: readonly string[],
): Promise<Committed> {
  const before = await headHash(ws);
  const wanted = new Set(paths);
  const isAlone = (staged: readonly string[]): boolean => staged.every((path) => wanted.has(path));
  const seen = stagedAsSeen(ws, before);
  if (request.hooks !== false && (await canRunHooks(ws))) {
    // A refusal, or a kill while a hook runs, leaves the user's index as it was.
    const copy = isAlone(seen ?? (await stagedSince(ws, before)));
    await withPrivateIndex(ws, copy ? null : before, async (indexFile) => {
      await stagePaths(ws, paths, indexFile);
      await committedOrNothing(ws, request, { before, indexFile });
    });
    await adoptEntries(ws, { since: before, paths });
    const hash = await headHash(ws);
    return { hash, created: hash !== before };
  }
  // Concurrent: entries of other paths are the same before and after the commit.
  const [staged] = await Promise.all([seen ?? stagedSince(ws, before), stagePaths(ws, paths)]);
  if (isAlone(staged)) {
    const made = await committedOrNothing(ws, request, { before });
    return made === "nothing"
      ? { hash: before, created: false }
      : { hash: await headHash(ws), created: true };
  }
  if (!(await stagedSince(ws, before)).some((path) => wanted.has(path)))
    return { hash: before, created: false };
  await withPrivateIndex(ws, before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    await commitIndex(ws, request, { before, indexFile });
  });
  return { hash: await headHash(ws), created: true };
}

/**
 * Brings the user's index to a commit that a kill kept it from following: entries that are still those of the commit's
 * parent become those of HEAD.
 */
export async function adoptCommit(ws: Workspace, made: string): Promise<void> {
  await adoptEntries(ws, { since: `${made}^`, paths: [] });
}

/** Amends the new commit with these paths if hooks changed them. Returns HEAD. */
async function amendWith(ws: Workspace, paths: readonly string[]): Promise<string> {
  const made = await headHash(ws);
  const wanted = new Set(paths);
  await stagePaths(ws, paths);
  const staged = await stagedSince(ws, made);
  if (!staged.some((path) => wanted.has(path))) return made;
  const amend = ["-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--amend", "--no-edit"];
  if (staged.every((path) => wanted.has(path))) await git(ws, amend);
  else {
    await withPrivateIndex(ws, made, async (indexFile) => {
      await stagePaths(ws, paths, indexFile);
      await git(ws, amend, { indexFile });
    });
  }
  return headHash(ws);
}

/** Returns the commits after `base` with the first lines of their messages, oldest first. */
export async function commitsAfter(
  ws: Workspace,
  base: string,
): Promise<readonly { readonly hash: string; readonly subject: string }[]> {
  const args = ["log", "-z", "--reverse", "--no-show-signature", "--format=%H %s", `${base}..HEAD`];
  return splitNul((await gitRead(ws, args)).stdout).map((line) => {
    const [hash = "", ...words] = line.trim().split(" ");
    return { hash, subject: words.join(" ") };
  });
}

/**
 * Returns the newest commit between `base` and HEAD whose message ends with the trailer `trailer: value`; undefined if
 * there is none.
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

/** Returns the hash of HEAD. Throws RALPH_GIT_NO_COMMIT. */
export async function headHash(ws: Workspace): Promise<string> {
  const { hash } = await readHead(ws);
  if (hash !== null) return hash;
  throw new RalphError("RALPH_GIT_NO_COMMIT", `The current branch in ${ws.topLevel} has no commit.`, {
    hint: 'git add -A && git commit -m "first commit"',
  });
}

/** Commits the index. Returns "nothing" if git refuses an empty commit. */
async function committedOrNothing(
  ws: Workspace,
  request: CommitRequest,
  on: IndexToCommit,
): Promise<"committed" | "nothing"> {
  try {
    await commitIndex(ws, request, on);
    return "committed";
  } catch (error) {
    const { before, ...index } = on;
    if ((await stagedSince(ws, before, index)).length === 0) return "nothing";
    throw error;
  }
}

interface IndexToCommit {
  /** HEAD. */
  readonly before: string;
  /** Absent: the user's. */
  readonly indexFile?: string;
}

/** Commits the index without path arguments, so that hooks see an ordinary commit. */
async function commitIndex(ws: Workspace, request: CommitRequest, on: IndexToCommit): Promise<void> {
  const message = safe`${request.message.toWellFormed().trimEnd()}\n`;
  const args = ["-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--no-verbose", "--no-status"];
  const options = {
    stdin: message,
    hooks: request.hooks ?? true,
    timeoutMs: request.timeoutMs ?? 600_000,
    accept: "any",
    ...(on.indexFile ? { indexFile: on.indexFile } : {}),
  } as const;
  const command = [...args, "--cleanup=verbatim", "-F", "-"];
  const untraced = () => git(ws, command, options).then((result) => ({ result, failedHook: undefined }));
  const committing = options.hooks
    ? withIsolatedHooks(
        ws,
        { isolation: request.isolation, around: request.aroundHooks },
        ({ any, hooksPath }) =>
          any
            ? withHookTrace(ws, (traceFile) => git(ws, command, { ...options, traceFile, hooksPath }))
            : untraced(),
      )
    : untraced();
  request.meanwhile?.();
  const { result, failedHook } = await committing;
  // If git is interrupted just after creating the commit, the commit is complete.
  if (result.code !== 0 && (await headHash(ws)) === on.before) throw commitFailed(result, failedHook);
}

/** Exit codes of a shell for a program that it cannot run or find; git reports a negative code for the hook itself. */
const cannotRun = (code: number): boolean => code < 0 || code === 126 || code === 127;

function commitFailed(result: GitResult, hook: HookEnd | undefined): RalphError {
  const output = `${result.stdout}\n${result.stderr}`;
  const gitOutput = lastLines(output, 10);
  const why = result.timedOut ? "it timed out" : gitOutput || `exit code ${result.code}`;
  const message = `git did not commit: ${why}`;
  const hookDecided = hook && !result.interrupted && (hook.exitCode === null ? result.timedOut : true);
  if (hookDecided && !(hook.exitCode !== null && cannotRun(hook.exitCode))) {
    return new CommitRefused(message, { hook: hook.name, exitCode: hook.exitCode, output });
  }
  const signing = /failed to sign the data|signing failed/i.test(gitOutput);
  const atHook = hookDecided ? `Install what the ${hook.name} hook runs, or remove the hook` : null;
  return new RalphError("RALPH_GIT_COMMIT_FAILED", message, {
    hint: signing
      ? "Unlock the signing key (or set commit.gpgsign to false) and run again."
      : `${atHook ?? "Fix what git reports"}, then run again. The changes are still in the tree.`,
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

/** The refusal of a commit by a hook. */
export interface HookRefusal {
  /** `pre-commit`, `commit-msg`, … */
  readonly hook: string;
  /** Null: the hook timed out. */
  readonly exitCode: number | null;
  /** The complete output. */
  readonly output: string;
}

/** A hook of the repository refused the commit: a verdict on the work, not an error of the environment (LOOP-21). */
export class CommitRefused extends RalphError {
  readonly refusal: HookRefusal;

  constructor(message: string, refusal: HookRefusal) {
    super("RALPH_GIT_COMMIT_REFUSED", message, {
      hint: `Run the ${refusal.hook} hook by hand to see why. The changes are still in the tree.`,
    });
    this.refusal = refusal;
  }
}
