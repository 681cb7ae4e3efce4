import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { directories } from "../../../config/directories.ts";
import { isRunByNpm, readEnv } from "../../../config/environment.ts";
import { claudePlugin, withHookFile } from "./claude-plugin.ts";
import { entryTarget } from "./config-entry.ts";
import type { ConnectTarget } from "./connection.ts";
import { jsonEntry, tomlEntry } from "./entry-format.ts";

interface TargetOptions {
  /** Claude Code only: the Stop hook that verifies. */
  readonly verify: boolean;
}

const targets = {
  claude: ({ verify }: TargetOptions) => {
    const folder = folderOf("CLAUDE_CONFIG_DIR") ?? join(home(), ".claude");
    return claudePlugin({ folder, command: ownCommand(), verify });
  },
  codex: () => {
    const [command, ...args] = serverCommand("codex");
    // Codex passes its servers no other variables; by these the server knows that it is inside an iteration.
    const value = { command, args, env_vars: ["RALPH_TASK_ID", "RALPH_RUN_ID"] };
    const folder = folderOf("CODEX_HOME") ?? join(home(), ".codex");
    const file = join(folder, "config.toml");
    const server = entryTarget({ title: "Codex", file, format: tomlEntry("mcp_servers", "ralph"), value });
    return withHookFile(server, { file: join(folder, "hooks.json"), command: ownCommand() });
  },
  gemini: () => {
    const [command, ...args] = serverCommand("gemini");
    const file = join(folderOf("GEMINI_CLI_HOME") ?? home(), ".gemini", "settings.json");
    return entryTarget({
      title: "Gemini CLI",
      file,
      format: jsonEntry("mcpServers", "ralph"),
      value: { command, args },
    });
  },
  pi: () => {
    const [command, ...args] = serverCommand("pi");
    const file = join(folderOf("PI_CODING_AGENT_DIR") ?? join(home(), ".pi", "agent"), "mcp.json");
    // An entry called `ralph` would precede the server of an iteration.
    const format = jsonEntry("mcpServers", "ralph-memory");
    return entryTarget({ title: "pi", file, format, value: { command, args } });
  },
  opencode: () => {
    const value = { type: "local", command: serverCommand("opencode"), enabled: true };
    return entryTarget({ title: "OpenCode", file: openCodeFile(), format: jsonEntry("mcp", "ralph"), value });
  },
} satisfies Readonly<Record<string, (options: TargetOptions) => ConnectTarget>>;

/** The agents that can be connected. */
export const connectableAgents: readonly string[] = Object.keys(targets);

/** Returns how to connect the agent called `name`, one of `connectableAgents`. */
export function connectTarget(name: string, options: TargetOptions): ConnectTarget {
  return targets[name as keyof typeof targets](options);
}

function serverCommand(agent: string): readonly [string, ...string[]] {
  return [...ownCommand(), "mcp", "--connected", "--agent", agent];
}

/** Returns the file that OpenCode reads last, so that its entry counts. */
function openCodeFile(): string {
  const named = folderOf("OPENCODE_CONFIG");
  if (named !== undefined) return named;
  const folder = join(directories().config, "opencode");
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function folderOf(variable: string): string | undefined {
  const value = readEnv(variable);
  return value ? resolve(value) : undefined;
}

function home(): string {
  return readEnv("HOME") || homedir();
}

/**
 * Returns the words that start this installation in another program's session: `ralph` where that is the one on the user's
 * path, so that an update of Node changes nothing; otherwise Node and the file.
 */
function ownCommand(): readonly [string, ...string[]] {
  // Relative to dist/, where the bundle runs, not to this file.
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  const folders = isRunByNpm() ? [] : (readEnv("PATH") ?? "").split(delimiter).filter(Boolean);
  for (const folder of folders) {
    const found = realPath(join(folder, "ralph"));
    if (found !== undefined) return found === realPath(program) ? ["ralph"] : [process.execPath, program];
  }
  return [process.execPath, program];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
