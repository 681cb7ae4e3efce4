import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { gitEnv, type TempRepository, tempFolder } from "./temp-repository.ts";

/** The parts of a commit; each character stands for one byte. */
export interface CommitBytes {
  /** Header lines after the committer's, each with its line feed. */
  readonly header?: string;
  readonly author?: string;
  readonly committer?: string;
  readonly message?: string;
}

export const agent = "Agent <agent@example.com> 1700000000";

/** Commits everything, byte by byte. */
export function commitBytes({ dir, git }: TempRepository, bytes: CommitBytes = {}): void {
  const { header = "", author = `${agent} +0000`, committer = `${agent} +0000`, message = "own\n" } = bytes;
  git("add", "--all");
  const [tree, parent] = [git("write-tree"), git("rev-parse", "HEAD")];
  const text = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter ${committer}\n${header}\n${message}`;
  const options = { cwd: dir, env: gitEnv, input: Buffer.from(text, "latin1"), encoding: "utf8" } as const;
  const made = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], options);
  git("update-ref", "HEAD", made.trim());
}

/** Puts `count` commits that change nothing on top of `main`, by one call of git. */
export function emptyCommits({ dir, git }: TempRepository, count: number): void {
  const commit = `commit refs/heads/main\ncommitter ${agent} +0000\ndata 4\nmore\n`;
  const input = `${commit}from ${git("rev-parse", "HEAD")}\n\n${`${commit}\n`.repeat(count - 1)}`;
  execFileSync("git", ["fast-import", "--quiet"], { cwd: dir, env: gitEnv, input });
}

/** The bytes of a commit, one character each. */
export function bytesOf({ dir }: TempRepository, commit: string): string {
  return execFileSync("git", ["cat-file", "commit", commit], { cwd: dir, env: gitEnv, encoding: "latin1" });
}

/** A text's bytes in UTF-8, one character each. */
export const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** Whether `commitSigned` can sign. */
export const canSign: boolean = spawnSync("ssh-keygen", ["-?"]).error === undefined;

/** Commits what is staged or tracked, with a genuine signature. */
export function commitSigned({ git }: TempRepository): void {
  const key = join(tempFolder(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const settings = ["-c", "gpg.format=ssh", "-c", `user.signingKey=${key}.pub`];
  git(...settings, "commit", "--quiet", "--all", "--gpg-sign", "-m", "own");
}
