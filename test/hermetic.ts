import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

type Environment = Record<string, string | undefined>;

/** Returns true when a folder above `folder`, or itself, is a project of ralph's or a git repository. */
function isInProject(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".ralph")) || existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}

/**
 * Removes from `env` what would let a caller's machine change a test: its git and ralph variables (RALPH_TEST_* are
 * the suite's own sizes) and its home. Its temporary folder becomes the first of `folders` that is in no project.
 */
export function makeHermetic(env: Environment, home: string, folders: readonly string[]): void {
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith("RALPH_TEST_");
    if (!isOurs && /^(?:GIT|RALPH|XDG)_/.test(name)) delete env[name];
  }
  env["HOME"] = home;
  const free = folders.find((folder) => existsSync(folder) && !isInProject(folder));
  if (free !== undefined) env["TMPDIR"] = free;
}

/** Prepares the environment of all test files; vitest calls it once, before its workers start. */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "ralph-home-"));
  makeHermetic(process.env, home, [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"]);
  return () => rmSync(home, { recursive: true, force: true });
}
