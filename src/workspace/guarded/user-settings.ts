import { isAbsolute, join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { realPath } from "../git/paths.ts";
import type { Workspace } from "../workspace.ts";
import type { Aside } from "./keep-copies.ts";
import { type FileSnapshot, isUnchanged, kindOf, restoreFile, snapshotFile } from "./remembered.ts";

/**
 * Names ralph's configuration of the user, which says what every later run of theirs starts (`events.hooks`). Its text is kept
 * in memory only: it has no place in a project's store.
 */
export interface UserSettings {
  readonly path: string;
}

interface Entry {
  readonly path: string;
  readonly was: FileSnapshot;
}

const originals = new WeakMap<UserSettings, readonly Entry[]>();

/** Returns null without a home. The folder is the one of the XDG specification. */
export function guardUserSettings({ env }: Workspace): UserSettings | null {
  const base = env["XDG_CONFIG_HOME"] ?? "";
  const home = env["HOME"] ?? "";
  if (!isAbsolute(base) && home === "") return null;
  const folder = join(isAbsolute(base) ? base : join(home, ".config"), "ralph");
  const settings = { path: join(folder, "config.yaml") };
  // A link is guarded, and the file that it leads to.
  const paths = new Set([folder, settings.path, realPath(settings.path)]);
  originals.set(
    settings,
    [...paths].map((path) => ({ path, was: snapshotFile(path) })),
  );
  return settings;
}

/**
 * Puts back what was changed since. Calls `keep` with each file first, which copies it and returns where a folder in its place
 * goes. Returns the paths; none after a kill, when the former text is not known.
 */
export function restoreUserSettings(
  before: UserSettings | null | undefined,
  keep: (path: string) => Aside,
): string[] {
  const entries = before ? (originals.get(before) ?? []) : [];
  return entries.flatMap(({ path, was }) => {
    if (was.kind === "other" || isEqual(path, was)) return [];
    makeFolders(join(path, ".."));
    restoreFile(path, was, keep(path));
    return [path];
  });
}

/** A folder is guarded against a link in its place, not against files in it. */
function isEqual(path: string, was: FileSnapshot): boolean {
  const now = kindOf(path);
  if (now === "folder") return was.kind === "folder" || (was.kind === "absent" && path.endsWith("/ralph"));
  return isUnchanged(path, was);
}
