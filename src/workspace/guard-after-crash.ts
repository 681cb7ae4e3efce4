import { cpSync, lstatSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { type Guard, restoreGuarded } from "./guard.ts";
import { type ConfigValue, configValues } from "./guarded/config-values.ts";
import { type Remembered, remember } from "./guarded/remembered.ts";
import type { Workspace } from "./workspace.ts";

/** What only says how the repository is used, and starts nothing: a person sets these every day. */
const harmless =
  /^(?:remote|branch|user|color|push|pull|fetch|rerere|status|log|advice|init|submodule|lfs|gc|pack)$/;
const harmlessOfCore =
  /^(?:filemode|bare|logallrefupdates|ignorecase|autocrlf|eol|quotepath|abbrev|symlinks)$/;

/**
 * Puts back what a killed ralph's agent may have done to git's configuration, hooks and attributes, before any git
 * command would act on it. A person may have worked since: a changed configuration that starts nothing new stays, and
 * whatever is put back is kept first, in the folder `keepIn`. Gives the names of what was put back.
 */
export async function restoreAfterCrash(ws: Workspace, before: Guard, keepIn: string): Promise<string[]> {
  const ours = join(ws.root, ".ralph");
  // Ralph's own settings run only as approved; git's excludes start nothing.
  const spared = new Set([join(ws.commonDir, "info", "exclude")]);
  const isGits = (path: string): boolean => relative(ours, path).startsWith("..") && !spared.has(path);
  const entries = before.entries.filter(({ path, was }) => isGits(path) && !isEquallySafe(path, was));
  keep(ws, [...entries.map(({ path }) => path), ...before.closedFolders], keepIn);
  return restoreGuarded(ws, { ...before, entries: [...entries, ...knownHooks(before, entries)] });
}

/** What lies in a closed folder is known only by its entries. */
function knownHooks(before: Guard, chosen: Guard["entries"]): Guard["entries"] {
  const inClosed = ({ path }: { path: string }): boolean =>
    before.closedFolders.some((folder) => path.startsWith(`${folder}/`));
  return before.entries.filter((entry) => inClosed(entry) && !chosen.includes(entry));
}

function isEquallySafe(path: string, was: Remembered): boolean {
  const now = remember(path);
  if (JSON.stringify(now) === JSON.stringify(was)) return true;
  if (now.kind !== "file" || was.kind !== "file" || now.mode !== was.mode) return false;
  if (!/\/config(?:\.worktree)?$/.test(path)) return false;
  const telling = (base64: string): string =>
    JSON.stringify(configValues(Buffer.from(base64, "base64").toString("utf8")).filter(mayStart));
  return telling(now.base64) === telling(was.base64);
}

function mayStart({ section, key }: ConfigValue): boolean {
  if (section === "core") return !harmlessOfCore.test(key);
  // How a remote is reached may name a program.
  if (section === "remote") return !/^(?:url|pushurl|fetch|push|tagopt|prune)$/.test(key);
  if (section === "submodule") return key === "update";
  return !harmless.test(section);
}

function keep(ws: Workspace, paths: readonly string[], keepIn: string): void {
  for (const path of paths) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    const copy = join(keepIn, relative(ws.commonDir, path).replaceAll("..", "up"));
    mkdirSync(join(copy, ".."), { recursive: true, mode: 0o700 });
    cpSync(path, copy, { recursive: true, verbatimSymlinks: true });
  }
}
