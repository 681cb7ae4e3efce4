import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { RalphError, systemCode } from "../base/errors.ts";
import { findProgram } from "../process/find-program.ts";
import { startToolShell } from "../process/tool-shell.ts";
import { hooksFolder } from "./commits/hooks-folder.ts";
import { type GitPlace, type GitResult, git, gitRead, lastLines } from "./git/git.ts";
import { isWithin, realPath } from "./git/paths.ts";
import { readHead } from "./git/read-head.ts";
import type { Workspace } from "./git/workspace.ts";

interface OpenOptions {
  readonly needCommit?: boolean;
  /** The setting `learnings.dir`. */
  readonly recordsDir?: string;
  /** For a process that starts git often. */
  readonly runsLong?: boolean;
  /** The setting `scope`. */
  readonly scope?: string | null;
  /** For the work tree of a worker; default: the project's own. */
  readonly slot?: string;
}

/**
 * Opens the git work tree that contains `root` (its top or a folder below). `env` is the complete inherited environment.
 * `needCommit: false` requires neither a commit nor an identity.
 * Errors: RALPH_GIT_MISSING, RALPH_GIT_NO_REPOSITORY, RALPH_GIT_NO_COMMIT, RALPH_GIT_NO_IDENTITY, RALPH_GIT_SCOPE.
 */
export async function openWorkspace(
  root: string,
  env: Readonly<Record<string, string>>,
  options: OpenOptions = {},
): Promise<Workspace> {
  const { needCommit = true, recordsDir = ".ralph/learnings", runsLong = false } = options;
  const { scope = null, slot = "project" } = options;
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined)
    throw new RalphError("RALPH_GIT_NO_REPOSITORY", `The folder ${root} does not exist.`);
  const program = findProgram("git", { cwd: real, env });
  const place: GitPlace = { topLevel: real, env: gitEnvironment(env), program };
  const questions = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-prefix"];
  const [answers, identity] = await Promise.all([
    gitRead(place, ["rev-parse", ...questions], { accept: "any" }),
    needCommit ? gitRead(place, ["var", "GIT_COMMITTER_IDENT"], { accept: "any" }) : null,
  ]);
  if (answers.code !== 0) throw noRepository(real, answers);
  const lines = answers.stdout.split("\n");
  if (lines.length !== questions.length + 1) throw brokenPath(real);
  const [topLevel = "", gitDir = "", commonDir = "", prefix = ""] = lines;
  // The common folder's name is relative to the folder in which git ran.
  const ws = {
    ...place,
    slot,
    root: real,
    topLevel,
    prefix,
    gitDir,
    recordsDir,
    scope: await scopeOf(scope, { root: real, topLevel }),
    commonDir: resolve(real, commonDir),
  };
  if (identity && identity.code !== 0) throw noIdentity(identity);
  const head = needCommit ? await readHead(ws) : null;
  if (head?.hash === null) {
    throw new RalphError("RALPH_GIT_NO_COMMIT", `The git repository ${ws.topLevel} has no commit yet.`, {
      hint: 'git add -A && git commit -m "first commit"',
    });
  }
  return runsLong ? { ...ws, shell: startToolShell(ws.env) } : ws;
}

/** @throws RalphError `RALPH_GIT_SCOPE` */
async function scopeOf(
  scope: string | null,
  { root, topLevel }: Pick<Workspace, "root" | "topLevel">,
): Promise<string> {
  if (scope === null) return "";
  const folder = await realpath(resolve(root, scope)).catch(() => null);
  if (folder === topLevel) return "";
  if (folder !== null && isWithin(topLevel, folder)) return `${relative(topLevel, folder)}/`;
  const why = folder === null ? "it does not exist" : `it is not in ${topLevel}`;
  throw new RalphError("RALPH_GIT_SCOPE", `scope "${scope}" is not a folder of the repository: ${why}`, {
    hint: "The path is relative to the folder of .ralph: `scope: .` limits the project to that folder.",
  });
}

/**
 * Returns what identifies the repository around `root`: the URL of its remote (`origin`, else the first), and its common
 * git folder, which all its worktrees share. Null for what it does not have, also outside a repository and without git.
 */
export async function repositoryAddress(
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly remote: string | null; readonly commonDir: string | null }> {
  const place: GitPlace = { topLevel: root, env: gitEnvironment(env) };
  const nothing = { code: 1, stdout: "" };
  const ask = (args: readonly string[]): Promise<Pick<GitResult, "code" | "stdout">> =>
    gitRead(place, args, { accept: "any" }).catch(() => nothing);
  const [common, remotes] = await Promise.all([
    ask(["rev-parse", "--git-common-dir"]),
    ask(["config", "--get-regexp", "^remote\\..*\\.url$"]),
  ]);
  const folder = common.code === 0 ? resolve(root, common.stdout.replace(/\n$/, "")) : null;
  const urls = remotes.stdout.split("\n").flatMap((line) => {
    const [, name = "", url = ""] = /^remote\.(.*)\.url (.+)$/.exec(line) ?? [];
    return url === "" ? [] : [{ name, url }];
  });
  const remote = urls.find(({ name }) => name === "origin") ?? urls[0];
  return {
    remote: remote?.url ?? null,
    commonDir: folder === null ? null : await realpath(folder).catch(() => folder),
  };
}

/** Returns the folders in git's own where it looks for hooks, or could. They need not exist; links are left out. */
export async function gitHookFolders(ws: Workspace): Promise<readonly string[]> {
  const folders = [...new Set([join(ws.commonDir, "hooks"), await hooksFolder(ws)])];
  return folders.filter((folder) => isWithin(ws.commonDir, folder) && realPath(folder) === folder);
}

/** Returns true if git's `safe.directory` names the folder, or all folders. A repository cannot say so of itself. */
export async function isSafeDirectory(root: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const place: GitPlace = { topLevel: "/", env: gitEnvironment(env) };
  const asked = ["config", "-z", "--get-all", "safe.directory"];
  const { stdout } = await gitRead(place, asked, { accept: "any" }).catch(() => ({ stdout: "" }));
  // An empty value resets the list.
  const values = stdout.split("\0").slice(0, -1);
  const named = values.slice(values.lastIndexOf("") + 1);
  return (
    named.includes("*") || named.includes(root) || named.includes(await realpath(root).catch(() => root))
  );
}

/** With a line break in a path, git's output is ambiguous. */
function brokenPath(root: string): RalphError {
  const message = `${JSON.stringify(root)} has a line break in its path, which ralph does not support.`;
  return new RalphError("RALPH_GIT_NO_REPOSITORY", message, { hint: "Rename that folder." });
}

function noRepository(root: string, answers: GitResult): RalphError {
  const why = lastLines(answers.stderr, 6);
  if (/dubious ownership/.test(why)) {
    return new RalphError(
      "RALPH_GIT_NO_REPOSITORY",
      `git does not trust ${root}: it belongs to another user.`,
      {
        hint: `git config --global --add safe.directory '${root}'`,
      },
    );
  }
  if (/must be run in a work tree/.test(why)) {
    return new RalphError(
      "RALPH_GIT_NO_REPOSITORY",
      `${root} is a bare git repository, without files to work on.`,
      {
        hint: "Run ralph in a clone or a worktree of it.",
      },
    );
  }
  if (!/not a git repository/.test(why)) {
    return new RalphError("RALPH_GIT_NO_REPOSITORY", `git cannot use ${root}: ${why}`, {
      hint: "Fix what git reports, then run again.",
    });
  }
  return new RalphError("RALPH_GIT_NO_REPOSITORY", `${root} is not in a git repository.`, {
    hint: 'git init && git add -A && git commit -m "first commit"',
  });
}

function noIdentity(identity: GitResult): RalphError {
  const why = lastLines(identity.stderr, 1).replace(/^fatal: /, "");
  return new RalphError("RALPH_GIT_NO_IDENTITY", `git has no identity to commit with: ${why}`, {
    hint: 'git config --global user.name "Your Name" && git config --global user.email you@example.com',
  });
}

/**
 * Creates a git repository in `dir` on branch `main` with these files (relative path to content) as its first commit. If the
 * user has no identity, sets one in this repository only. `env` is the complete inherited environment. Throws
 * RALPH_GIT_EXISTS for an existing repository.
 */
export async function initRepository(
  dir: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  makeFolders(dir, 0o777);
  await mkdir(join(dir, ".git")).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
    throw new RalphError("RALPH_GIT_EXISTS", `${dir} is already a git repository.`);
  });
  const place: GitPlace = { topLevel: await realpath(dir), env: gitEnvironment(env) };
  await git(place, ["init", "--quiet", "--initial-branch=main", "--template="]);
  const [identity] = await Promise.all([
    gitRead(place, ["var", "GIT_COMMITTER_IDENT"], { accept: "any" }),
    ...Object.entries(files).map(([path, text]) => writeBelow(place.topLevel, path, text)),
  ]);
  if (identity.code !== 0) {
    await git(place, ["config", "user.name", "Ralph"]);
    await git(place, ["config", "user.email", "ralph@localhost"]);
  }
  await git(place, ["add", "--all"]);
  const unsigned = ["-c", "commit.gpgSign=false", "commit", "--quiet", "--allow-empty"];
  await git(place, [...unsigned, "-F", "-"], { stdin: "First commit\n" });
}

async function writeBelow(top: string, path: string, text: string): Promise<void> {
  const full = join(top, path);
  if (relative(top, full).startsWith("..")) throw new Error(`outside of the repository: ${path}`);
  makeFolders(dirname(full), 0o777);
  await writeFile(full, text, { flag: "wx" });
}

/**
 * Creates a branch at HEAD and switches to it without changing files. Succeeds if it is already the current branch.
 * Throws RALPH_GIT_BRANCH for an invalid or existing name.
 */
export async function createBranch(ws: Workspace, name: string): Promise<void> {
  if ((await readHead(ws)).ref === `refs/heads/${name}`) return;
  const { code, stderr } = await git(ws, ["switch", "--quiet", "--no-track", "-c", name], { accept: "any" });
  if (code === 0) return;
  const taken = /already exists/.test(stderr);
  const why = taken ? "it already exists" : lastLines(stderr, 1).replace(/^fatal: /, "");
  throw new RalphError("RALPH_GIT_BRANCH", `Branch "${name}" was not created: ${why}`, {
    hint: taken ? await hintForTaken(ws, name) : "Choose another name.",
  });
}

/** A branch that is checked out in another work tree cannot be switched to. */
async function hintForTaken(ws: Workspace, name: string): Promise<string> {
  const args = ["for-each-ref", "--format=%(worktreepath)", `refs/heads/${name}`];
  const place = (await gitRead(ws, args, { accept: "any" })).stdout.trim();
  const instruction =
    place === ""
      ? `git switch ${name}, then run without --branch`
      : `run in ${place}, where it is checked out`;
  return `${instruction}; or choose another name.`;
}

/** The caller's `GIT_*` variables that set identity, configuration and how to reach a remote; all others could redirect git. */
const kept =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_\w+|CEILING_DIRECTORIES|EXEC_PATH|ASKPASS|SS[HL]\w*)$/;

/** Returns the environment for git: no redirection of repository or index, no prompt, pager or editor, English messages. */
function gitEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const clean = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || kept.test(name));
  return {
    ...Object.fromEntries(clean),
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "cat",
    // Replacement refs would hide the committed content.
    GIT_NO_REPLACE_OBJECTS: "1",
    // Grafts would give commits other parents. Git says nothing of a file that is not there.
    GIT_GRAFT_FILE: "/dev/null/none",
    LANGUAGE: "en",
  };
}
