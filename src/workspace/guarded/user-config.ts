import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { lookThrough } from "../../base/careful-files.ts";
import { sha256 } from "../../base/hash.ts";
import { realPath } from "../git/paths.ts";
import type { ConfigValue } from "./config/config-values.ts";
import { startingValues, startTheSame } from "./config/starting-values.ts";
import { isTooLarge, textOf } from "./config-files.ts";
import type { Aside } from "./keep-copies.ts";
import {
  type FileSnapshot,
  isUnchanged,
  keptBytes,
  kindOf,
  restoreFile,
  snapshotFile,
} from "./remembered.ts";

/**
 * A configuration file of git that belongs to the user, not to the project. Its text is kept in memory only: it can hold
 * credentials, which have no place in a project's store.
 */
export interface UserConfig {
  readonly path: string;
  /** Hashes of the variables that may start a program. */
  readonly starting: readonly string[];
  /** It was too large to be read. */
  readonly isLarge?: true;
}

const originals = new WeakMap<UserConfig, FileSnapshot>();

/** Notes what git's configuration outside the repository makes it start. */
export function guardUserConfig(paths: readonly string[]): UserConfig[] {
  // A link is guarded, and the file that it leads to.
  const all = new Set(paths.flatMap((path) => [path, realPath(path)]));
  return [...all].map((path) => {
    const starting = startingValues(textOf(path)).map(identity);
    const config: UserConfig = { path, starting, ...(isLarge(path) && { isLarge: true }) };
    originals.set(config, snapshotFile(path));
    return config;
  });
}

/** Returns the files with what was in them, as far as this process noted it. */
export function userEntries(
  before: readonly UserConfig[],
): readonly { readonly path: string; readonly was: FileSnapshot }[] {
  return before.flatMap((config) => {
    const was = originals.get(config);
    return was === undefined ? [] : [{ path: config.path, was }];
  });
}

/** Git reads it all the same. */
function isLarge(path: string): boolean {
  const stats = lookThrough(path);
  return stats?.isFile() === true && isTooLarge(stats.size);
}

/** Returns the paths of files with new variables that may start a program, and of those that became too large to be read. */
export function changedUserConfig(before: readonly UserConfig[]): string[] {
  return before.filter(hasAdded).map(({ path }) => path);
}

function hasAdded({ path, starting, isLarge: wasLarge }: UserConfig): boolean {
  if (isLarge(path)) return wasLarge !== true;
  return addedTo(textOf(path), starting).length > 0;
}

/**
 * Puts back the files that now make git start something else; other changes to them stay. After a kill, when the former
 * text is not known, removes only the new variables. Calls `keep` with each file first, which copies it, or moves a large
 * one, and returns where a folder in its place goes. Returns their paths.
 */
export function restoreUserConfig(before: readonly UserConfig[], keep: (path: string) => Aside): string[] {
  const known = new Set(before.map(({ path }) => path));
  return before.flatMap((config) => {
    const was = originals.get(config);
    const target = was === undefined ? withoutAdded(config, known) : isAs(config, was) ? undefined : was;
    if (target === undefined || target.kind === "other") return [];
    restoreFile(config.path, target, keep(config.path));
    return [config.path];
  });
}

function isAs(config: UserConfig, was: FileSnapshot): boolean {
  const { path, starting } = config;
  if (isUnchanged(path, was)) return true;
  const now = kindOf(path);
  // Git refuses to start with either of them.
  if ((now === "other" || now === "folder") && was.kind !== now) return false;
  if (was.kind === "link" || now === "link" || isLarge(path)) return false;
  // What a large file made git start is not known.
  if (was.kind === "file" && isTooLarge(keptBytes(was))) return false;
  if (was.kind === "file" && now === "file") return startTheSame(textOf(path), textIn(was));
  return was.kind === now || (starting.length === 0 && addedTo(textOf(path), starting).length === 0);
}

/** Returns the file without the new variables; undefined if it has none. */
function withoutAdded(config: UserConfig, known: ReadonlySet<string>): FileSnapshot | undefined {
  const { path, starting } = config;
  const now = kindOf(path);
  if (now === "other" || now === "folder") return { kind: "absent" };
  // The file that the link leads to is guarded too.
  if (now === "link" && known.has(realPath(path))) return undefined;
  if (!hasAdded(config)) return undefined;
  let text = isLarge(path) ? beginningOf(path) : textOf(path);
  let added = addedTo(text, starting);
  // A removed header gives the lines below it to the section above.
  for (let round = 0; added.length > 0 && round < maxRounds; round++) {
    text = withoutLines(text, added);
    added = addedTo(text, starting);
  }
  if (added.length > 0 || text === "") return { kind: "absent" };
  const mode = now === "file" ? lstatSync(path).mode & 0o7777 : 0o600;
  return { kind: "file", base64: Buffer.from(text, "utf8").toString("base64"), mode };
}

const maxRounds = 10;
/** Bytes. */
const maxBeginning = 64 * 1024;

/** Returns the whole lines at the beginning of a large file: what the user had there, unless an agent rewrote it. */
function beginningOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(maxBeginning);
    const text = bytes.toString("utf8", 0, readSync(file, bytes));
    return text.slice(0, text.lastIndexOf("\n") + 1);
  } finally {
    closeSync(file);
  }
}

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
