import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Workspace } from "../workspace.ts";
import { configValues } from "./config-values.ts";

/** More files that include each other are not followed. */
const maxFiles = 50;

/** Returns git's configuration files, existing or not: the repository's, the user's and the system's, with what each includes. */
export function configFiles(ws: Workspace): string[] {
  const found: string[] = [];
  const open = [
    join(ws.commonDir, "config"),
    join(ws.gitDir, "config.worktree"),
    ...userFiles(ws),
    ...(ws.env["GIT_CONFIG_NOSYSTEM"] ? [] : [ws.env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"]),
  ];
  for (let path = open.shift(); path !== undefined && found.length < maxFiles; path = open.shift()) {
    if (found.includes(path)) continue;
    found.push(path);
    const from = dirname(path);
    for (const { section, key, value } of configValues(textOf(path))) {
      if (/^include(if)?$/.test(section) && key === "path") open.push(resolve(from, fromHome(ws, value)));
    }
  }
  return found;
}

function userFiles(ws: Workspace): string[] {
  const named = ws.env["GIT_CONFIG_GLOBAL"];
  if (named !== undefined) return named === "" ? [] : [named];
  const folder = userFolder(ws);
  return [...(folder === null ? [] : [join(folder, "config")]), ...inHome(ws, ".gitconfig")];
}

/** Returns git's folder in the user's configuration. */
export function userFolder({ env }: Workspace): string | null {
  const base = env["XDG_CONFIG_HOME"] || (env["HOME"] ? join(env["HOME"], ".config") : "");
  return base === "" ? null : join(base, "git");
}

function inHome({ env }: Workspace, name: string): string[] {
  return env["HOME"] ? [join(env["HOME"], name)] : [];
}

/** Replaces a leading `~/`. */
function fromHome({ env }: Workspace, path: string): string {
  return path.startsWith("~/") ? join(env["HOME"] ?? "", path.slice(2)) : path;
}

/** Returns "" for a missing or unreadable file: git reports that error itself. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
