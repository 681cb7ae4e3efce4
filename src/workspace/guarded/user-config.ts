import { realpathSync } from "node:fs";
import { sha256 } from "../../base/hash.ts";
import { textOf } from "./config-files.ts";
import type { ConfigValue } from "./config-values.ts";
import type { Aside } from "./keep-copies.ts";
import { type FileSnapshot, isSameSnapshot, restoreFile, snapshotFile } from "./remembered.ts";
import { startingValues, startTheSame } from "./starting-values.ts";

/**
 * A configuration file of git that belongs to the user, not to the project. Its text is kept in memory only: it can hold
 * credentials, which have no place in a project's store.
 */
export interface UserConfig {
  readonly path: string;
  /** Hashes of the variables that may start a program. */
  readonly starting: readonly string[];
}

const originals = new WeakMap<UserConfig, FileSnapshot>();

/** Notes what git's configuration outside the repository makes it start. */
export function guardUserConfig(paths: readonly string[]): UserConfig[] {
  // A link is guarded, and the file that it leads to.
  const all = new Set(paths.flatMap((path) => [path, realPath(path)]));
  return [...all].map((path) => {
    const config = { path, starting: startingValues(textOf(path)).map(identity) };
    originals.set(config, snapshotFile(path));
    return config;
  });
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Returns the paths of files with new variables that may start a program. */
export function changedUserConfig(before: readonly UserConfig[]): string[] {
  return before
    .filter(({ path, starting }) => addedTo(textOf(path), starting).length > 0)
    .map(({ path }) => path);
}

/**
 * Puts back the files that now make git start something else; other changes to them stay. After a kill, when the former
 * text is not known, removes only the new variables. Calls `keep` with each file first, which copies it and returns where a
 * folder in its place goes. Returns their paths.
 */
export function restoreUserConfig(before: readonly UserConfig[], keep: (path: string) => Aside): string[] {
  const known = new Set(before.map(({ path }) => path));
  return before.flatMap((config) => {
    const was = originals.get(config);
    const target = was === undefined ? withoutAdded(config, known) : isAs(config, was) ? undefined : was;
    if (target === undefined) return [];
    return restoreFile(config.path, target, keep(config.path)) ? [config.path] : [];
  });
}

function isAs({ path, starting }: UserConfig, was: FileSnapshot): boolean {
  const now = snapshotFile(path);
  if (now === was) return true;
  // Git refuses to start with either of them.
  if ((now.kind === "other" || now.kind === "folder") && was.kind !== now.kind) return false;
  if (was.kind === "link" || now.kind === "link") return isSameSnapshot(now, was);
  if (was.kind === "file" && now.kind === "file") return startTheSame(textIn(now), textIn(was));
  return was.kind === now.kind || (starting.length === 0 && addedTo(textOf(path), starting).length === 0);
}

/** Returns the file without the new variables; undefined if it has none. */
function withoutAdded({ path, starting }: UserConfig, known: ReadonlySet<string>): FileSnapshot | undefined {
  const now = snapshotFile(path);
  if (now.kind === "other" || now.kind === "folder") return { kind: "absent" };
  // The file that the link leads to is guarded too.
  if (now.kind === "link" && known.has(realPath(path))) return undefined;
  let text = textOf(path);
  let added = addedTo(text, starting);
  if (added.length === 0) return undefined;
  // A removed header gives the lines below it to the section above.
  for (let round = 0; added.length > 0 && round < maxRounds; round++) {
    text = withoutLines(text, added);
    added = addedTo(text, starting);
  }
  if (added.length > 0) return { kind: "absent" };
  const mode = now.kind === "file" ? now.mode : 0o600;
  return { kind: "file", base64: Buffer.from(text, "utf8").toString("base64"), mode };
}

const maxRounds = 10;

function addedTo(text: string, starting: readonly string[]): ConfigValue[] {
  const known = new Set(starting);
  return startingValues(text).filter((value) => !known.has(identity(value)));
}

function identity({ section, key, value }: ConfigValue): string {
  return sha256(JSON.stringify([section, key, value])).slice(0, 32);
}

function textIn({ base64 }: Extract<FileSnapshot, { kind: "file" }>): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

function withoutLines(text: string, values: readonly ConfigValue[]): string {
  const out = new Set(values.flatMap(({ lines: [first, last] }) => range(first, last)));
  return text
    .split("\n")
    .filter((_, at) => !out.has(at))
    .join("\n");
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
