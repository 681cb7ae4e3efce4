import { statfs } from "node:fs/promises";
import manifest from "../../../../package.json" with { type: "json" };
import type { SandboxLevel } from "../../../agents/port/confinement.ts";
import { probeProgram } from "../../../agents/port/probe-program.ts";
import { defaultSandbox } from "../../../agents/sandbox.ts";
import { fixable } from "../../../base/errors.ts";
import { childEnvironment } from "../../../config/environment.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { commitFault } from "../../../loop/try-commits.ts";
import { branchName, readHead } from "../../../workspace/git/read-head.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { remoteError, tryRemote } from "../../../workspace/remote.ts";
import { confinementOf } from "../../trust/confinement.ts";
import { type Check, errorCheck, failed, passed, warned } from "./check.ts";

type Environment = Readonly<Record<string, string>>;

/** The first git version with `merge-tree --write-tree`, which restores an attempt's salvage. */
const oldestGit = "2.38";
const lowDiskBytes = 500 * 1000 * 1000;

export function checkNode(): Check {
  const wanted = manifest.engines.node.replace(/^>=/, "");
  const found = { check: "node", detail: `Node ${process.versions.node}` };
  if (!isOlder(process.versions.node, wanted)) return passed(found);
  return failed(found, `install Node ${wanted} or newer: https://nodejs.org`);
}

/** Checks git's version, then that `root` is a repository that ralph can commit to. */
export async function checkGit(root: string, env: Environment): Promise<readonly Check[]> {
  const git = await probeProgram("git", env, "install git: https://git-scm.com");
  if (!git.found) return [failed({ check: "git", detail: "git not found on the PATH" }, git.hint)];
  const found = { check: "git", detail: `git ${git.version ?? "(unknown version)"}` };
  const old = git.version !== null && isOlder(git.version, oldestGit);
  const version = old ? warned(found, `install git ${oldestGit} or newer`) : passed(found);
  return [version, await checkRepository(root, env)];
}

async function checkRepository(root: string, env: Environment): Promise<Check> {
  try {
    const { topLevel } = await openWorkspace(root, env);
    return passed({ check: "repository", detail: `${topLevel}: has a commit and an identity` });
  } catch (error) {
    return errorCheck("repository", error);
  }
}

/** Tries the remote on which work lands, where one is set. */
export async function checkRemote(root: string, { settings }: LoadedSettings): Promise<readonly Check[]> {
  const { remote } = settings.workers;
  if (remote === null) return [];
  try {
    const workspace = await openWorkspace(root, childEnvironment());
    const at = { remote, branch: branchName((await readHead(workspace)).ref) };
    const end = await tryRemote(workspace, at);
    const found = { check: "remote", detail: `${remote} has ${at.branch} and takes pushes of this user` };
    if (end.state === "done") return [passed(found)];
    return [errorCheck("remote", remoteError(at, end))];
  } catch (error) {
    return [errorCheck("remote", error)];
  }
}

/** Tries what ralph's commits need: the lock, signing and the commit-msg hook. */
export async function checkCommits(root: string, loaded: LoadedSettings): Promise<readonly Check[]> {
  const { commit } = loaded.settings;
  if (!commit.enabled) return [];
  try {
    const workspace = await openWorkspace(root, childEnvironment());
    const fault = await commitFault(workspace, commit.template);
    const found = {
      check: "commits",
      detail: fault?.message ?? "git commits here, as far as its hooks and settings say",
    };
    return [fault === null ? passed(found) : warned(found, fault.hint)];
  } catch (error) {
    // The check of the repository says the others.
    return /^RALPH_GIT_(?:COMMIT|LOCKED)/.test(fixable(error).code) ? [errorCheck("commits", error)] : [];
  }
}

export async function checkDisk(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const found = { check: "disk", detail: `${describeBytes(free)} free at ${folder}` };
  return free < lowDiskBytes
    ? warned(found, "free some space, because runs write logs and builds")
    : passed(found);
}

/** Checks how agents of the project at `root` are confined on this machine. */
export async function checkIsolation(root: string, loaded: LoadedSettings | null): Promise<Check> {
  try {
    return describe(loaded ? (await confinementOf({ root, loaded })).sandbox : await defaultSandbox());
  } catch (error) {
    // The check of the repository says it.
    if (fixable(error).code.startsWith("RALPH_GIT_")) return describe(await defaultSandbox());
    return errorCheck("isolation", error);
  }
}

function describe(sandbox: SandboxLevel | null): Check {
  if (!sandbox) return passed({ check: "isolation", detail: "off: agents can do what you can" });
  const found = { check: "isolation", detail: `${sandbox.summary}: ${sandbox.effect}` };
  if (!sandbox.isPartial) return passed(found);
  if (process.platform !== "linux")
    return { ...found, status: "ok", hint: "no action needed: only Linux has this sandbox" };
  return warned(found, "install util-linux and bubblewrap, and allow user namespaces (SECURITY.md)");
}

export function describeBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1000;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

function isOlder(version: string, wanted: string): boolean {
  return version.localeCompare(wanted, "en", { numeric: true }) < 0;
}
