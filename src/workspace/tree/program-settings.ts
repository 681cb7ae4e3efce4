import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { clip, oneLine, shellWord } from "../../base/text.ts";
import { git, gitRead, splitNul } from "../git/git.ts";
import type { Workspace } from "../git/workspace.ts";
import { keptFile, restoreFile } from "./kept-files.ts";

/** Keys of git's configuration whose values are programs that git starts, or files with more such keys. */
const programs: readonly RegExp[] = [
  /^core\.(?:fsmonitor|hookspath|sshcommand|gitproxy|pager|editor|askpass|alternaterefscommand)$/,
  /^(?:sequence\.editor|diff\.external|interactive\.difffilter|uploadpack\.packobjectshook)$/,
  /^gpg\.(?:.+\.)?(?:program|defaultkeycommand)$/s,
  /^credential\.(?:.+\.)?helper$/s,
  /^filter\..+\.(?:clean|smudge|process)$/s,
  /^diff\..+\.(?:command|textconv)$/s,
  /^merge\..+\.driver$/s,
  /^(?:difftool|mergetool|browser|man)\..+\.(?:cmd|path)$/s,
  /^trailer\..+\.(?:cmd|command)$/s,
  /^remote\..+\.(?:uploadpack|receivepack|vcs)$/s,
  /^(?:pager|hook)\..+$/s,
  /^include(?:if\..+)?\.path$/s,
];
/** Keys whose values start a program where they begin with `!`. */
const withMark = /^(?:alias\..+|submodule\..+\.update)$/s;

/** A file of the repository's own configuration, as text. */
export interface GitConfig {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** Reads the configuration of the repository and of its work tree, without a process. */
export function configFiles({ commonDir, gitDir }: Workspace): readonly GitConfig[] {
  return [join(commonDir, "config"), join(gitDir, "config.worktree")].map((path) => ({
    path,
    text: textOf(path),
  }));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Puts back the keys that start programs; all others stay as they are now. A file that git cannot read any longer is put back as a
 * whole. Returns a sentence for each. Starts git only where a file changed.
 */
export async function restoreSettings(
  ws: Workspace,
  before: readonly GitConfig[],
  keepIn: string,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const config of before) {
    if (textOf(config.path) === config.text) continue;
    for (const one of await restoreConfig(ws, config, keepIn)) warnings.push(one);
  }
  return warnings;
}

type Values = ReadonlyMap<string, readonly string[]>;

async function restoreConfig(
  ws: Workspace,
  { path, text }: GitConfig,
  keepIn: string,
): Promise<readonly string[]> {
  const name = join(".git", basename(path));
  const was = await programsIn(ws, text);
  const now = await programsIn(ws, textOf(path));
  if (was === undefined) return [];
  if (now === undefined) {
    const { was: file } = keptFile(path);
    restoreFile({ path, was: { content: Buffer.from(text), mode: file?.mode ?? 0o644 } }, keepIn);
    const kept = relative(ws.root, keepIn);
    return [`put back ${name}: git cannot read what it had become, which is in ${kept}`];
  }
  const warnings: string[] = [];
  for (const key of new Set([...was.keys(), ...now.keys()])) {
    const [former = [], present = []] = [was.get(key), now.get(key)];
    if (JSON.stringify(former) === JSON.stringify(present)) continue;
    await setValues(ws, path, { key, former, present });
    const command = clip(oneLine(settingCommand(name, { key, former, present })), 200);
    warnings.push(
      `put back ${oneLine(key)} in ${name}, as it can start a program; if you changed it: ${command}`,
    );
  }
  return warnings;
}

/** Returns the command that makes the change again. */
function settingCommand(file: string, { key, former, present }: Change): string {
  const git = `git config ${file.endsWith(".worktree") ? "--worktree " : ""}`;
  const [first, ...others] = present.map(shellWord);
  if (first === undefined) return `${git}--unset-all ${shellWord(key)}`;
  const replacing = former.length > 1 ? "--replace-all " : "";
  const adding = others.map((value) => `${git}--add ${shellWord(key)} ${value}`);
  return [`${git}${replacing}${shellWord(key)} ${first}`, ...adding].join(" && ");
}

/** Outside of the repository, whose configuration git would read first. */
const atRoot = (ws: Workspace): Workspace => ({ ...ws, topLevel: "/" });

/** Returns undefined for a text that git refuses. */
async function programsIn(ws: Workspace, text: string): Promise<Values | undefined> {
  const args = ["config", "--file", "-", "--no-includes", "-z", "--list"];
  const { code, stdout } = await gitRead(atRoot(ws), args, { stdin: text, accept: "any" });
  if (code !== 0) return undefined;
  const found = new Map<string, readonly string[]>();
  for (const record of splitNul(stdout)) {
    const end = record.indexOf("\n");
    // Without `=`, a key is true.
    const [key, value] = end === -1 ? [record, "true"] : [record.slice(0, end), record.slice(end + 1)];
    const starts = programs.some((form) => form.test(key)) || (withMark.test(key) && value.startsWith("!"));
    if (starts) found.set(key, [...(found.get(key) ?? []), value]);
  }
  return found;
}

interface Change {
  readonly key: string;
  readonly former: readonly string[];
  readonly present: readonly string[];
}

async function setValues(ws: Workspace, path: string, { key, former, present }: Change): Promise<void> {
  const config = (...args: readonly string[]) => git(atRoot(ws), ["config", "--file", path, ...args]);
  if (present.length > 0) await config("--unset-all", key);
  for (const value of former) await config("--add", key, value);
}
