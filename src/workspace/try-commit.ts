import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RalphError } from "../base/errors.ts";
import type { SafeText } from "../base/safe-text.ts";
import { temporaryName } from "../base/temporary-files.ts";
import { hookNames, hooksFolder } from "./commits/hooks-folder.ts";
import { type HookIsolation, withIsolatedHooks } from "./commits/isolate-hooks.ts";
import { git, gitRead, lastLines, locked } from "./git/git.ts";
import { pathKind } from "./git/paths.ts";
import type { Workspace } from "./git/workspace.ts";

const timeoutMs = 120_000;

/** @throws RalphError `RALPH_GIT_LOCKED` if the index stays locked for two seconds */
export async function refuseLocked(ws: Workspace): Promise<void> {
  const lock = join(ws.gitDir, "index.lock");
  for (let waited = 0; pathKind(lock); waited += 200) {
    if (waited >= 2000) throw locked(lock);
    await sleep(200);
  }
}

/** Returns true where git's settings say that commits are signed. */
export async function signsCommits(ws: Workspace): Promise<boolean> {
  const asked = ["config", "--type=bool", "--get", "commit.gpgSign"];
  return (await gitRead(ws, asked, { accept: "any" })).stdout.trim() === "true";
}

/**
 * Signs a commit that no branch gets, where commits are signed: what asks for a passphrase asks now.
 *
 * @throws RalphError `RALPH_GIT_COMMIT_FAILED` when it is not signed
 */
export async function trySigning(ws: Workspace): Promise<"signed" | "unsigned"> {
  if (!(await signsCommits(ws))) return "unsigned";
  const args = ["commit-tree", "-S", "HEAD^{tree}", "-m", "ralph: tries to sign"];
  const { code, stderr, timedOut } = await git(ws, args, { accept: "any", timeoutMs });
  if (code === 0) return "signed";
  const why = timedOut ? "the program that signs did not end within 2 minutes" : lastLines(stderr, 3);
  throw new RalphError("RALPH_GIT_COMMIT_FAILED", `git cannot sign commits: ${why}`, {
    hint: "Unlock the signing key (or set commit.gpgsign to false) and run again.",
  });
}

/** Returns the last lines of the commit-msg hook if it refuses this message; null: it accepts it, or there is none. */
export async function refusedMessageOf(
  ws: Workspace,
  message: SafeText,
  isolation: HookIsolation | undefined,
): Promise<string | null> {
  if (!hookNames(await hooksFolder(ws)).includes("commit-msg")) return null;
  // Recovery removes what a kill leaves there.
  const file = join(ws.gitDir, temporaryName());
  try {
    writeFileSync(file, message);
    const args = ["hook", "run", "--ignore-missing", "commit-msg", "--", file];
    const { code, stdout, stderr, timedOut } = await withIsolatedHooks(ws, isolation, ({ hooksPath }) =>
      git(ws, args, { hooks: true, hooksPath, accept: "any", timeoutMs }),
    );
    // An old git, or a hook that cannot run.
    if (code === 0 || code === null || code > 125 || /is not a git command/.test(stderr)) return null;
    return timedOut ? "it timed out" : lastLines(`${stdout}\n${stderr}`, 3);
  } finally {
    rmSync(file, { force: true });
  }
}
