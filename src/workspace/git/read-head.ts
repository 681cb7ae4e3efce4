import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gitRead } from "./git.ts";
import type { Workspace } from "./workspace.ts";

export interface Head {
  /** The commit; null before the first one. */
  readonly hash: string | null;
  /** The full name of the branch (`refs/heads/main`); null when HEAD is detached. */
  readonly ref: string | null;
}

const hashForm = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Returns HEAD from its files, without a process; runs git only for a ref that is packed or stored otherwise. Reads
 * synchronously: for two one-line files this is faster than the thread pool, and it is called often.
 */
export async function readHead(ws: Workspace): Promise<Head> {
  const text = contentOf(join(ws.gitDir, "HEAD"));
  if (hashForm.test(text)) return { hash: text, ref: null };
  const ref = /^ref: (refs\/heads\/.+)$/.exec(text)?.[1] ?? null;
  const loose = ref === null ? "" : contentOf(join(ws.commonDir, ref));
  if (ref !== null && hashForm.test(loose)) return { hash: loose, ref };
  return askGit(ws);
}

/** Resolves a ref or hash to a commit, or null. */
export async function resolveCommit(ws: Workspace, name: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { code, stdout } = await gitRead(ws, args, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** Returns the commit that a branch is at; that of `hash` where HEAD was detached, or the branch is gone. */
export async function tipOf(ws: Workspace, { hash, ref }: Head): Promise<string | null> {
  return (ref === null ? null : await resolveCommit(ws, ref)) ?? hash;
}

/** Returns a branch as people name it. */
export function branchName(ref: string | null): string {
  return ref?.replace(/^refs\/(?:heads|remotes)\//, "") ?? "a detached HEAD";
}

async function askGit(ws: Workspace): Promise<Head> {
  const { code, stdout } = await gitRead(ws, ["symbolic-ref", "--quiet", "HEAD"], { accept: [1] });
  return { hash: await resolveCommit(ws, "HEAD"), ref: code === 0 ? stdout.trim() : null };
}

/** Returns "" for anything but a small file, so that git is asked. Reading a planted pipe would never end. */
function contentOf(path: string): string {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size < 4096 ? readFileSync(path, "utf8").trim() : "";
  } catch {
    return "";
  }
}
