import { join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { shellWord } from "../../../base/text.ts";
import { version } from "../../shell/version.ts";
import type { Connection, ConnectionPlan, ConnectTarget } from "./connection.ts";
import { type FileChange, missingFolders, readPersonFile } from "./person-file.ts";
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

/** Seconds for a hook that only reads. */
const readSeconds = 15;
/** Seconds for the hook that verifies; each command has its own time limit. */
const verifySeconds = 3600;

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

/** Returns what turns the files of `known` into `wanted`. Throws when a person changed one of them. */
function changesOf(
  known: Pick<Connection, "files"> | null,
  wanted: readonly { readonly path: string; readonly text: string }[],
): readonly FileChange[] {
  const written = known?.files ?? [];
  const isWritten = (path: string, text: string): boolean =>
    written.some((file) => file.path === path && file.sha256 === sha256(text));
  const paths = new Set([...wanted, ...written].map(({ path }) => path));
  return [...paths].flatMap((path): readonly FileChange[] => {
    const { path: real, text: before } = readPersonFile(path);
    const after = wanted.find((file) => file.path === path)?.text ?? null;
    if (before === after) return [];
    if (before !== null && !isWritten(path, before))
      throw written.some((file) => file.path === path) ? edited(path) : foreign(path);
    return [{ path: real, before, after }];
  });
}

function edited(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EDITED", `${path} was changed since ralph wrote it`, {
    hint: "move it elsewhere, then run the command again",
  });
}

function foreign(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EXISTS", `${path} exists, and ralph did not write it`, {
    hint: "move it elsewhere, then run the command again",
  });
}

/** Returns the plugin's files by their path below its folder. */
function pluginFiles({ command, verify }: PluginTarget): Readonly<Record<string, string>> {
  const [program, ...words] = command;
  const args = [...words, "mcp", "--connected", "--agent", "claude"];
  const hook = (timeout: number, ...hookWords: readonly string[]): object => ({
    hooks: [
      {
        type: "command",
        command: [...command, "agent-hook", ...hookWords].map(shellWord).join(" "),
        timeout,
      },
    ],
  });
  const hooks = {
    SessionStart: [hook(readSeconds, "SessionStart")],
    UserPromptSubmit: [hook(readSeconds, "UserPromptSubmit", ...(verify ? ["--verify"] : []))],
    ...(verify ? { Stop: [hook(verifySeconds, "Stop")] } : {}),
  };
  const description = "The memory of ralph: what earlier sessions learned about a project";
  return {
    ".claude-plugin/plugin.json": json({ name: "ralph", version, description }),
    ".mcp.json": json({ mcpServers: { ralph: { type: "stdio", command: program, args } } }),
    "hooks/hooks.json": json({ hooks }),
    "skills/memory/SKILL.md": `---\nname: memory\ndescription: ${JSON.stringify(skillDescription)}\n---\n\n${skill}`,
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
