import { join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { sha256 } from "../../../base/hash.ts";
import { shellWord } from "../../../base/text.ts";
import { version } from "../../shell/version.ts";
import { type ConnectionPlan, type ConnectTarget, changesOf, foreign } from "./connection.ts";
import { missingFolders, readPersonFile } from "./person-file.ts";
import skill from "./plugin-skill.md";

interface PluginTarget {
  /** Claude Code's configuration folder. */
  readonly folder: string;
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

/** Seconds for a hook that only reads. */
const readSeconds = 15;
/** Seconds for the hook that verifies; each command has its own time limit. */
const verifySeconds = 3600;

/** Returns the hooks of a session, as Claude Code and Codex read them. `verify`: a turn that changed the project is verified. */
function agentHooks(command: readonly string[], verify: boolean): object {
  const hook = (timeout: number, ...words: readonly string[]): object => ({
    hooks: [
      { type: "command", command: [...command, "agent-hook", ...words].map(shellWord).join(" "), timeout },
    ],
  });
  return {
    SessionStart: [hook(readSeconds, "SessionStart")],
    UserPromptSubmit: [hook(readSeconds, "UserPromptSubmit", ...(verify ? ["--verify"] : []))],
    ...(verify ? { Stop: [hook(verifySeconds, "Stop")] } : {}),
  };
}

/**
 * Adds hooks to the connection of Codex, by a file of their own. Where a person has such a file, it stays as it is. Codex runs no hook
 * before the person trusts it.
 */
export function withHookFile(
  target: ConnectTarget,
  { file, command }: { readonly file: string; readonly command: readonly string[] },
): ConnectTarget {
  const text = `${JSON.stringify({ hooks: agentHooks(command, false) }, null, 2)}\n`;
  const wanted = { path: file, sha256: sha256(text) };
  return {
    title: target.title,
    connect(known) {
      const plan = target.connect(known);
      const found = readPersonFile(file);
      const written = (known?.files ?? []).filter(({ path }) => path === found.path);
      if (found.text !== null && found.text !== text && written.length === 0)
        return {
          ...plan,
          note: `it has hooks of yours in ${file}, so memories come only when it asks for them`,
        };
      const files = (plan.connection?.files ?? []).filter(({ path }) => path !== found.path);
      const folders = [...(plan.connection?.folders ?? []), ...missingFolders(found.path)];
      return {
        changes: [...plan.changes, ...changesOf({ files: written }, [{ path: found.path, text }])],
        connection: {
          files: [...files, { ...wanted, path: found.path }],
          entry: plan.connection?.entry ?? null,
          folders: [...new Set(folders)],
        },
        note: "it asks once whether you trust the hooks, by which fitting memories come unasked",
      };
    },
    disconnect(known) {
      const plan = target.disconnect(known);
      const found = readPersonFile(file);
      const isOwn = known === null && found.text === text;
      const written = isOwn
        ? [{ ...wanted, path: found.path }]
        : (known?.files ?? []).filter(({ path }) => path === found.path);
      return { ...plan, changes: [...plan.changes, ...changesOf({ files: written }, [])] };
    },
  };
}
