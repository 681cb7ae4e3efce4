import { RalphError } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { type GitResult, git, lastLines } from "../git/git.ts";
import { stagedSince } from "../git/index-entries.ts";
import { readHead } from "../git/read-head.ts";
import type { Workspace } from "../git/workspace.ts";
import { type HookEnd, withHookTrace } from "./hook-trace.ts";
import { type HookIsolation, withIsolatedHooks } from "./isolate-hooks.ts";

/** How to commit an index. */
export interface IndexCommit {
  readonly message: SafeText;
  /** False: the repository's hooks do not run. Default true. */
  readonly hooks?: boolean;
  /** How the processes that hooks start are killed with them; absent: they are not. */
  readonly isolation?: HookIsolation;
  /** For hooks and signing; default ten minutes. */
  readonly timeoutMs?: number;
  /** Called while git commits and this process waits. */
  readonly meanwhile?: () => void;
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
export async function committedOrNothing(
  ws: Workspace,
  request: IndexCommit,
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
export async function commitIndex(ws: Workspace, request: IndexCommit, on: IndexToCommit): Promise<void> {
  const end = await runCommit(ws, request, on);
  // If git is interrupted just after creating the commit, the commit is complete.
  if (end.result.code !== 0 && (await headHash(ws)) === on.before) throw commitFailed(end);
}

/** How git and its hooks ended. */
interface CommitEnd {
  readonly result: GitResult;
  readonly failedHook: HookEnd | undefined;
}

async function runCommit(
  ws: Workspace,
  request: IndexCommit,
  on: Pick<IndexToCommit, "indexFile">,
): Promise<CommitEnd> {
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
    ? withIsolatedHooks(ws, request.isolation, ({ any, hooksPath }) =>
        any
          ? withHookTrace(ws, (traceFile) => git(ws, command, { ...options, traceFile, hooksPath }))
          : untraced(),
      )
    : untraced();
  request.meanwhile?.();
  return await committing;
}

/** Exit codes of a shell for a program that it cannot run or find; git reports a negative code for the hook itself. */
const cannotRun = (code: number): boolean => code < 0 || code === 126 || code === 127;

/** Returns the error for a git that made no commit: CommitRefused if a hook decided so, else RALPH_GIT_COMMIT_FAILED. */
function commitFailed({ result, failedHook: hook }: CommitEnd): RalphError {
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
