import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runGit } from "./git-shell.ts";
import { copyTemplate } from "./template.ts";

/** A git repository in a folder of its own, with one commit. */
export interface TempRepository {
  readonly dir: string;
  /** Runs git there, outside of ralph; gives its output, trimmed. */
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  remove(path: string): void;
  /** The SHA-256 of every file and link, git's own folder aside. */
  hashes(): Record<string, string>;
}

/** An environment without the user's own git configuration. */
export const gitEnv: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.com",
};

/** Makes a named pipe. */
export function makePipe(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
}

/** Opens a named pipe after two seconds, so that a process that waits for a writer fails its test and continues. */
export function releaseLater(path: string): void {
  execFileSync("sh", ["-c", '{ sleep 2; : 1<> "$0"; } > /dev/null 2>&1 &', path]);
}

/** Runs a script of the shell, as an agent does. */
export function runScript(dir: string, script: string, env: Readonly<Record<string, string>> = gitEnv): void {
  execFileSync("sh", ["-ec", script], { cwd: dir, env });
}

/** Writes a hook of git, a script of the shell. */
export function writeHook({ dir }: Pick<TempRepository, "dir">, name: string, script: string): void {
  mkdirSync(join(dir, ".git/hooks"), { recursive: true });
  writeFileSync(join(dir, ".git/hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const made: string[] = [];

/** An empty folder that `removeTempRepositories` takes away. */
export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ralph-test-")));
  made.push(dir);
  return dir;
}

/** Node cannot remove folders that are deeper than paths can be; the program takes longer. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    execFileSync("rm", ["-rf", folder]);
  }
}

export function removeTempRepositories(): void {
  for (const folder of made.splice(0)) removeFolder(folder);
}

/** Makes a repository whose first commit holds `files`. */
export function tempRepository(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): TempRepository {
  const dir = tempFolder();
  copyTemplate(["repository", files], dir, (folder) => {
    const repository = repositoryAt(folder);
    repository.git("init", "--quiet", "--initial-branch=main", "--template=");
    for (const [path, text] of Object.entries(files)) repository.write(path, text);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--allow-empty", "-m", "first");
  });
  return repositoryAt(dir);
}

/** The same for a folder that is a work tree already. */
export function repositoryAt(dir: string): TempRepository {
  return {
    dir,
    git: (...args) => runGit(args, { cwd: dir, env: gitEnv }).trim(),
    write: (path, text) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    read: (path) => readFileSync(join(dir, path), "utf8"),
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    hashes: () => hashesBelow(dir, ""),
  };
}

function hashesBelow(dir: string, below: string): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const name of readdirSync(join(dir, below)).sort()) {
    const path = below === "" ? name : `${below}/${name}`;
    if (name === ".git") continue;
    const stats = lstatSync(join(dir, path));
    if (stats.isDirectory()) Object.assign(hashes, hashesBelow(dir, path));
    else hashes[path] = contentHash(join(dir, path), stats.isSymbolicLink());
  }
  return hashes;
}

function contentHash(path: string, isLink: boolean): string {
  const content = isLink ? `-> ${readlinkSync(path)}` : readFileSync(path);
  return createHash("sha256").update(content).digest("hex");
}
