import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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
  // The caller's shell notes here what it started, such as `nohup`.
  delete env["_"];
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith("RALPH_TEST_");
    if (!isOurs && /^(?:GIT|RALPH|XDG)_/.test(name)) delete env[name];
  }
  env["HOME"] = home;
  const free = folders.find((folder) => existsSync(folder) && !isInProject(folder));
  if (free !== undefined) env["TMPDIR"] = free;
}

const roomyBytes = 2 * 1024 ** 3;

/** Codex, where bubblewrap is installed, runs commands without the machine's `/dev`. */
function codexHidesDevices(): boolean {
  const has = (name: string): boolean =>
    (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, name)));
  return has("bwrap") && (process.env["RALPH_TEST_CODEX"] !== undefined || has("codex"));
}

/**
 * The folder in memory where files cost no wait for a disk; empty where it is too small for the suite, as in a
 * container, or where nothing in it can be executed.
 */
function foldersInMemory(): readonly string[] {
  const folder = "/dev/shm";
  if (codexHidesDevices()) return [];
  let made: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < roomyBytes) return [];
    made = mkdtempSync(join(folder, "ralph-probe-"));
    const script = join(made, "probe");
    writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(script);
    return [folder];
  } catch {
    return [];
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}

/** Prepares the environment of all test files; vitest calls it once, before its workers start. */
export function setup(): () => void {
  makeHermetic(process.env, "/nonexistent", [...foldersInMemory(), tmpdir(), "/tmp", "/var/tmp"]);
  const home = mkdtempSync(join(tmpdir(), "ralph-home-"));
  process.env["HOME"] = home;
  process.env["TEST_TEMPLATES"] = join(home, "templates");
  return () => rmSync(home, { recursive: true, force: true });
}
