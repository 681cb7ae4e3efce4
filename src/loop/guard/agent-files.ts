import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/hash.ts";
import type { Loop } from "../loop.ts";

/** Files of a project from which the agents that ralph knows take instructions, by their documentation. */
const instructions = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md"];
/** Files and folders that they load: hooks, servers, permissions, commands, sub-agents, extensions. */
const settings = [
  ".claude/agents",
  ".claude/commands",
  ".claude/hooks",
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
/** Skills are guarded themselves, and put back; OpenCode installs what its plug-ins need. */
const spared: readonly string[] = ["node_modules", "skills"];
const maxFiles = 200;
/** Of a larger one only the size counts. */
const maxBytes = 1_000_000;

/** The files that later agents read on their own besides their prompt, at the top of the project and of its repository. */
export interface AgentFiles {
  /** Returns a sentence for each file that changed since the last call, ignored by git or not. Leaves it as it is. */
  changes(): readonly string[];
}

/** Notes them as they are. Later agents would follow what one plants there, and git does not show ignored files. */
export function watchAgentFiles({ root, topLevel }: Loop["workspace"]): AgentFiles {
  const tops = topLevel === root ? [root] : [root, topLevel];
  const read = (): ReadonlyMap<string, string> => new Map(tops.flatMap(filesIn));
  let before = read();
  return {
    changes: () => {
      const now = read();
      const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
      const changed = paths.filter((path) => before.get(path) !== now.get(path));
      const sentences = changed.map((path) => {
        const what = !before.has(path) ? "added" : now.has(path) ? "changed" : "removed";
        const name = top(path, tops);
        const use = instructions.includes(name.split("/").at(-1) ?? "") ? "follow it" : "load it";
        return `${name} was ${what}: agents ${use} on their own; review it`;
      });
      before = now;
      return sentences;
    },
  };
}

function top(path: string, tops: readonly string[]): string {
  const [root = "", above] = tops;
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return `${above === undefined ? "" : "the repository's "}${path.slice((above ?? "").length + 1)}`;
}

function filesIn(top: string): readonly (readonly [string, string])[] {
  // Most of them exist nowhere: one listing is cheaper than a look at each. Some systems ignore case.
  const there = new Set(entriesIn(top).map((entry) => entry.name.toLowerCase()));
  const isThere = (name: string): boolean => there.has((name.split("/", 1)[0] ?? name).toLowerCase());
  const names = [...instructions, ...settings].filter(isThere);
  return names.flatMap((name) => filesAt(top, name));
}

/** Returns the file `name`, or the files of the folder `name`, each by its path. */
function filesAt(folder: string, name: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const open = [join(folder, name)];
  for (let path = open.pop(); path !== undefined && found.length < maxFiles; path = open.pop()) {
    const content = digest(path);
    if (content === undefined) continue;
    if (content !== isFolder) found.push([path, content]);
    else
      for (const entry of entriesIn(path))
        if (!spared.includes(entry.name)) open.push(join(path, entry.name));
  }
  return found;
}

const isFolder = "folder";

/** Undefined: there is nothing. A link counts as what it names, which a later agent reads; a pipe is never opened. */
function digest(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
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
