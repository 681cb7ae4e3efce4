import { lstatSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../base/errors.ts";
import { cleanText } from "../base/text.ts";
import { type GitResult, git, gitRead, lastLines, splitNul } from "./git/git.ts";
import { type HookEnd, withHookTrace } from "./git/hook-trace.ts";
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
 * Commits these paths in the user's name; whatever else is staged stays staged and out of the commit. What a hook
 * changed in these paths is committed too: one that refuses after changing them is asked once more.
 * Errors: CommitRefused (a hook refused), RALPH_GIT_COMMIT_FAILED (signing, a hook that cannot be run),
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

type Tried = { readonly touched: boolean } & (
  | { readonly refused: CommitRefused }
  | { readonly refused?: never; readonly committed: Committed }
);

/** `touched`: files of `paths` were written while git committed, which is what a formatting hook does. */
async function tryToCommit(ws: Workspace, request: CommitRequest, paths: readonly string[]): Promise<Tried> {
  const before = appearance(ws, paths);
  const touched = (): boolean => request.hooks !== false && appearance(ws, paths) !== before;
  try {
    const committed = await commitStaged(ws, request, paths);
    return { committed, touched: committed.created && touched() };
  } catch (refused) {
    if (refused instanceof CommitRefused) return { refused, touched: touched() };
    throw refused;
  }
}

/** Changes whenever one of the files is written. Takes no process and no other thread. */
function appearance({ topLevel }: Workspace, paths: readonly string[]): string {
  const looks = paths.map((path) => {
    try {
      const { ino, size, mtimeNs } = lstatSync(join(topLevel, path), { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    } catch {
      // Gone, or below what is a file by now.
      return "";
    }
  });
  return looks.join("\n");
}

async function commitStaged(
  ws: Workspace,
  request: CommitRequest,
  paths: readonly string[],
): Promise<Committed> {
  const before = await headHash(ws);
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

/** Takes these paths, as the hooks left them, into the commit just made, if they differ from it. Returns HEAD. */
async function amendWith(ws: Workspace, paths: readonly string[]): Promise<string> {
  const made = await headHash(ws);
  const wanted = new Set(paths);
  await stagePaths(ws, paths);
  const staged = await differsFrom(ws, made);
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

/** Error: RALPH_GIT_NO_COMMIT. */
export async function headHash(ws: Workspace): Promise<string> {
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
  const options = {
    stdin: message,
    hooks: request.hooks ?? true,
    timeoutMs: request.timeoutMs ?? 600_000,
    accept: "any",
    ...(on.indexFile ? { indexFile: on.indexFile } : {}),
  } as const;
  const command = [...args, "--cleanup=verbatim", "-F", "-"];
  const committing = options.hooks
    ? withHookTrace(ws, (traceFile) => git(ws, command, { ...options, traceFile }))
    : git(ws, command, options).then((result) => ({ result, failedHook: undefined }));
  request.meanwhile?.();
  const { result, failedHook } = await committing;
  // Interrupted just after it made the commit, git has done what it was asked for.
  if (result.code !== 0 && (await headHash(ws)) === on.before) throw commitFailed(result, failedHook);
}

/** What a shell answers for a program that it cannot run or find; git gives a negative code for the hook itself. */
const cannotRun = (code: number): boolean => code < 0 || code === 126 || code === 127;

function commitFailed(result: GitResult, hook: HookEnd | undefined): RalphError {
  const output = `${result.stdout}\n${result.stderr}`;
  const said = lastLines(output, 10);
  const why = result.timedOut ? "it did not end in time" : said || `exit code ${result.code}`;
  const message = `git did not commit: ${why}`;
  const hookDecided = hook && !result.interrupted && (hook.exitCode === null ? result.timedOut : true);
  if (hookDecided && !(hook.exitCode !== null && cannotRun(hook.exitCode))) {
    return new CommitRefused(message, { hook: hook.name, exitCode: hook.exitCode, output });
  }
  const signing = /failed to sign the data|signing failed/i.test(said);
  const atHook = hookDecided ? `Install what the ${hook.name} hook runs, or remove the hook` : null;
  return new RalphError("RALPH_GIT_COMMIT_FAILED", message, {
    hint: signing
      ? "Unlock the signing key (or set commit.gpgsign to false) and run again."
      : `${atHook ?? "Correct what git reports"}, then run again. The changes are still in the tree.`,
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

/** How a hook refused a commit. */
export interface HookRefusal {
  /** `pre-commit`, `commit-msg`, … */
  readonly hook: string;
  /** Null: it did not end in time. */
  readonly exitCode: number | null;
  /** All that it printed. */
  readonly output: string;
}

/** A hook of the repository refused the commit: a verdict on the work, not trouble of the environment (LOOP-21). */
export class CommitRefused extends RalphError {
  readonly refusal: HookRefusal;

  constructor(message: string, refusal: HookRefusal) {
    super("RALPH_GIT_COMMIT_REFUSED", message, {
      hint: `Run the ${refusal.hook} hook by hand to see why. The changes are still in the tree.`,
    });
    this.refusal = refusal;
  }
}
