import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { remembering } from "../git/file-stamp.ts";
import { isWithin, realPath } from "../git/paths.ts";
import type { Workspace } from "../workspace.ts";
import { type ConfigValue, configValues } from "./config/config-values.ts";

/** More files that include each other are not followed. */
const maxFiles = 50;
/** Far more than people write. Larger files would keep ralph busy, and every git too. */
const maxBytes = 1024 * 1024;

/**
 * Returns git's configuration files, existing or not, with what is in each: the repository's, the user's and the system's, and
 * those that they include.
 */
export function readConfigs(ws: Workspace): ReadonlyMap<string, GitConfig> {
  const found = new Map<string, GitConfig>();
  const open = [
    join(ws.commonDir, "config"),
    join(ws.gitDir, "config.worktree"),
    ...userFiles(ws),
    ...(ws.env["GIT_CONFIG_NOSYSTEM"] ? [] : [ws.env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"]),
  ];
  for (let path = open.shift(); path !== undefined && found.size < maxFiles; path = open.shift()) {
    if (found.has(path)) continue;
    const config = contentOf(path);
    found.set(path, config);
    const from = dirname(path);
    for (const { section, key, value } of config.values) {
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

/** `/dev/null`, which turns such rules off; not a file in memory. */
const isDevice = /^\/dev\/(?!shm\/)/;

/**
 * Returns the files outside the work tree that hold the user's ignore rules and attributes: git opens them at every command, and
 * waits for a pipe. A link is returned, and the file that it leads to.
 */
export function userRules(ws: Workspace, configs: ReadonlyMap<string, GitConfig>): readonly string[] {
  const folder = userFolder(ws);
  const usual = folder === null ? [] : ["attributes", "ignore"].map((name) => join(folder, name));
  const real = [...usual, ...namedRules(ws, configs)].flatMap((path) => [path, realPath(path)]);
  return [...new Set(real)].filter((path) => !isWithin(ws.topLevel, path) && !isDevice.test(path));
}

/** Returns the files of the work tree that a setting names as ignore rules or attributes: git opens them too. */
export function rulesInTree(ws: Workspace): readonly string[] {
  return namedRules(ws, readConfigs(ws)).filter((path) => isWithin(ws.topLevel, path));
}

function namedRules(ws: Workspace, configs: ReadonlyMap<string, GitConfig>): readonly string[] {
  const named = [...configs.values()].flatMap(({ values }) =>
    values.flatMap(({ section, key, value }) =>
      section === "core" && /^(excludes|attributes)file$/.test(key) && value !== "" ? [value] : [],
    ),
  );
  return named.map((path) => resolve(ws.topLevel, fromHome(ws, path)));
}

function inHome({ env }: Workspace, name: string): string[] {
  return env["HOME"] ? [join(env["HOME"], name)] : [];
}

/** Replaces a leading `~/`. */
function fromHome({ env }: Workspace, path: string): string {
  return path.startsWith("~/") ? join(env["HOME"] ?? "", path.slice(2)) : path;
}

/** A configuration file of git; empty for a missing, unreadable or too large one. */
export interface GitConfig {
  readonly text: string;
  readonly values: readonly ConfigValue[];
}

const none: GitConfig = { text: "", values: [] };

const readContent = remembering("stat", (path, stats): GitConfig => {
  if (!stats?.isFile() || stats.size > maxBytes) return none;
  const text = readFileSync(path, "utf8");
  return { text, values: configValues(text) };
});

/** Git reports a file that cannot be read itself. */
function contentOf(path: string): GitConfig {
  try {
    return readContent(path);
  } catch {
    return none;
  }
}

/** Returns true for a size at which `textOf` and `valuesIn` do not read a file. */
export function isTooLarge(bytes: number): boolean {
  return bytes > maxBytes;
}

/** Returns "" for a missing, unreadable or too large file. */
export function textOf(path: string): string {
  return contentOf(path).text;
}

/** Returns the variables of a configuration file of git; none for a missing, unreadable or too large file. */
export function valuesIn(path: string): readonly ConfigValue[] {
  return contentOf(path).values;
}
