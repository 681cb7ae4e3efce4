import { join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { sha256 } from "../../../base/hash.ts";
import { version } from "../../shell/version.ts";
import { agentHooks } from "./agent-hooks.ts";
import type { ConnectionPlan, ConnectTarget } from "./connection.ts";
import { changesOf, foreign } from "./own-files.ts";
import { missingFolders, readPersonFile } from "./person-file.ts";
import skill from "./plugin-skill.md";

interface PluginTarget {
  /** Claude Code's configuration folder. */
  readonly folder: string;
  /** The words that start ralph. */
  readonly command: readonly [string, ...string[]];
  /** True: a turn that changed the project ends only after its verification. */
  readonly verify: boolean;
}

const skillDescription =
  "How to use ralph's memory of this project: search lessons of earlier sessions, record new ones, see the task list. Use it before you try something that may have failed before, and after you learned something that later sessions need.";

/**
 * Connects Claude Code by a plugin: a folder below `skills`, which Claude Code loads without an entry in its settings (seen with
 * 2.1.197 and 2.1.330). Nothing that a person wrote is changed.
 */
export function claudePlugin(target: PluginTarget): ConnectTarget {
  const place = join(target.folder, "skills", "ralph");
  const wanted = Object.entries(pluginFiles(target)).map(([name, text]) => ({
    path: join(place, name),
    text,
  }));
  return {
    title: "Claude Code",
    connect: (known) => {
      if (lookAt(place)?.isSymbolicLink()) throw foreign(place);
      const files = wanted.map(({ path, text }) => ({ path: readPersonFile(path).path, text }));
      const changes = changesOf(known, files);
      const folders = files.flatMap(({ path }) => missingFolders(path));
      return {
        changes,
        connection: {
          files: files.map(({ path, text }) => ({ path, sha256: sha256(text) })),
          entry: null,
          folders: [...new Set([...(known?.folders ?? []), ...folders])],
        },
      };
    },
    disconnect: (known): ConnectionPlan => {
      // Without a record, such as on another machine with the same files, only what this version would write is its own.
      const written = known?.files ?? wanted.map(({ path, text }) => ({ path, sha256: sha256(text) }));
      return { changes: changesOf({ files: written }, []), connection: null };
    },
  };
}

/** Returns the plugin's files by their path below its folder. */
function pluginFiles({ command, verify }: PluginTarget): Readonly<Record<string, string>> {
  const [program, ...words] = command;
  const args = [...words, "mcp", "--connected", "--agent", "claude"];
  const description = "The memory of ralph: what earlier sessions learned about a project";
  return {
    ".claude-plugin/plugin.json": json({ name: "ralph", version, description }),
    ".mcp.json": json({ mcpServers: { ralph: { type: "stdio", command: program, args } } }),
    "hooks/hooks.json": json({ hooks: agentHooks(command, verify) }),
    "skills/memory/SKILL.md": `---\nname: memory\ndescription: ${JSON.stringify(skillDescription)}\n---\n\n${skill}`,
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
