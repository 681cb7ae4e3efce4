import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lookAt, lookThrough } from "../../base/careful-files.ts";
import { sha256 } from "../../base/hash.ts";
import type { Loop } from "../loop.ts";

/** Files of a project from which the agents that ralph knows take instructions, by their documentation. */
const instructions = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md"];
/** Files and folders that they load: hooks, servers, permissions, commands, rules, sub-agents, extensions. */
const settings = [
  ".claude/CLAUDE.md",
  ".claude/agents",
  ".claude/commands",
  ".claude/hooks",
  ".claude/output-styles",
  ".claude/rules",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".codex",
  ".gemini",
  ".mcp.json",
  ".opencode",
  ".pi",
  "opencode.json",
  "opencode.jsonc",
];
/** They read these in the folders above the project, too. */
const above = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
const maxAbove = 20;
/** Of the user, for all projects. Agents themselves write their other settings there. */
const inHome = [
  ".claude/CLAUDE.md",
  ".claude/settings.json",
  ".codex/AGENTS.md",
  ".config/opencode/AGENTS.md",
  ".gemini/GEMINI.md",
];
/** OpenCode installs what its plug-ins need. */
const spared = "node_modules";
const maxFiles = 200;
/** Also counts folders and what is not read. */
const maxEntries = 2000;
/** Of a larger one only the size counts. */
const maxBytes = 1_000_000;

/** The files that later agents read on their own besides their prompt: of the project, its repository, above it and in the home. */
export interface AgentFiles {
  /** Returns a sentence for each file that changed since the last call, ignored by git or not. Leaves it as it is. */
  changes(): readonly string[];
}

/** Notes them as they are. Later agents would follow what one plants there, and git does not show ignored files. */
export function watchAgentFiles({ root, topLevel, env }: Loop["workspace"]): AgentFiles {
  const tops = topLevel === root ? [root] : [root, topLevel];
  const home = env["HOME"] ?? "";
  const others = [
    ...foldersAbove(topLevel).flatMap((folder) => above.map((name) => join(folder, name))),
    ...(home === "" ? [] : inHome.map((name) => join(home, name))),
  ];
  const read = (): ReadonlyMap<string, string> =>
    new Map([...tops.flatMap(filesIn), ...[...new Set(others)].flatMap(filesAt)]);
  let before = read();
  return {
    changes: () => {
      const now = read();
      const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
      const changed = paths.filter((path) => before.get(path) !== now.get(path));
      const sentences = changed.map((path) => {
        const what = !before.has(path) ? "added" : now.has(path) ? "changed" : "removed";
        const name = nameOf(path, { tops, home });
        const use = instructions.includes(basename(name)) ? "follow it" : "load it";
        return `${name} was ${what}: agents ${use} on their own; review it`;
      });
      before = now;
      return sentences;
    },
  };
}

/** Nearest first. */
function foldersAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(folder); at !== dirname(at) && found.length < maxAbove; at = dirname(at))
    found.push(at);
  return found;
}

function nameOf(
  path: string,
  { tops, home }: { readonly tops: readonly string[]; readonly home: string },
): string {
  const [root = "", repository = root] = tops;
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  if (path.startsWith(`${repository}/`)) return `the repository's ${path.slice(repository.length + 1)}`;
  return home !== "" && path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path;
}

function filesIn(top: string): readonly (readonly [string, string])[] {
  // Most of them exist nowhere: one listing is cheaper than a look at each. Some systems ignore case.
  const there = new Set(entriesIn(top).map((entry) => entry.name.toLowerCase()));
  const isThere = (name: string): boolean => there.has((name.split("/", 1)[0] ?? name).toLowerCase());
  const names = [...instructions, ...settings].filter(isThere);
  return names.flatMap((name) => filesAt(join(top, name)));
}

/** Returns the file, or the files of the folder, each by its path. Follows no link to a folder, which could lead back. */
function filesAt(start: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const open = [start];
  let looked = 0;
  for (let path = open.pop(); path !== undefined && found.length < maxFiles; path = open.pop()) {
    looked += 1;
    const content = looked > maxEntries ? undefined : contentAt(path, start);
    if (content === isFolder) for (const name of namesIn(path)) open.push(join(path, name));
    else if (content !== undefined) found.push([path, content]);
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  return entriesIn(folder).flatMap(({ name }) => (name === spared ? [] : [name]));
}

function contentAt(path: string, start: string): string | undefined {
  const content = digest(path);
  if (content !== isFolder || path === start) return content;
  return lookAt(path)?.isSymbolicLink() ? "a link to a folder" : content;
}

const isFolder = "folder";

/** Undefined: there is nothing. A link counts as what it names, which a later agent reads; a pipe is never opened. */
function digest(path: string): string | undefined {
  try {
    const stats = lookThrough(path);
    if (!stats) return undefined;
    if (stats.isDirectory()) return isFolder;
    return stats.isFile() && stats.size <= maxBytes
      ? sha256(readFileSync(path))
      : `${stats.mode} ${stats.size}`;
  } catch {
    // A link to itself, gone meanwhile, or closed to this user.
    return undefined;
  }
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
