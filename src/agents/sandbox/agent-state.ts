import { basename, join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** An agent's paths in its user's folders: absolute, and they need not exist. */
export interface AgentState {
  /** Login, sessions and caches, which it writes; the first is its main folder. */
  readonly written: readonly string[];
  /**
   * Settings, instructions and programs, which it reads. Inside a written folder they stay read-only: what a session could
   * write there would run in the user's later sessions.
   */
  readonly read: readonly string[];
}

type StateOf = (home: string, env: Environment) => AgentState;

const claude: StateOf = (home, env) => {
  const own = env["CLAUDE_CONFIG_DIR"];
  const folder = own || join(home, ".claude");
  const read = [
    ...["settings.json", "settings.local.json", "CLAUDE.md", "agents", "commands", "hooks", "local"],
    ...["output-styles", "plugins", "rules", "skills"],
  ];
  return { written: [folder, ...(own ? [] : [join(home, ".claude.json")])], read: within(folder, read) };
};

const codex: StateOf = (home, env) => {
  const folder = env["CODEX_HOME"] || join(home, ".codex");
  const read = [
    ...["config.toml", "managed_config.toml", "AGENTS.md", "AGENTS.override.md", "hooks.json"],
    ...["prompts", "rules", "skills", "plugins"],
  ];
  return { written: [folder], read: within(folder, read) };
};

const gemini: StateOf = (home, env) => {
  const folder = join(env["GEMINI_CLI_HOME"] || home, ".gemini");
  const read = ["settings.json", "GEMINI.md", ".env", "commands", "extensions", "policies", "skills"];
  return { written: [folder], read: within(folder, read) };
};

const opencode: StateOf = (home, env) => {
  const folder = (name: string, otherwise: string): string =>
    join(env[`XDG_${name}_HOME`] || join(home, otherwise), "opencode");
  return {
    written: [folder("DATA", ".local/share"), folder("STATE", ".local/state"), folder("CACHE", ".cache")],
    read: [folder("CONFIG", ".config"), join(home, ".opencode")],
  };
};

const pi: StateOf = (home, env) => {
  const folder = env["PI_CODING_AGENT_DIR"] || join(home, ".pi/agent");
  const read = ["AGENTS.md", "SYSTEM.md", "models.json", "settings.json"];
  return {
    written: [folder],
    read: within(folder, [...read, "bin", "extensions", "prompts", "skills", "themes"]),
  };
};

const states: Readonly<Record<string, StateOf>> = { claude, codex, gemini, opencode, pi };

/** Bridges to the Agent Client Protocol and the agent whose state they use. */
const bridges: Readonly<Record<string, string>> = {
  "claude-agent-acp": "claude",
  "claude-code-acp": "claude",
  "codex-acp": "codex",
};

/**
 * Returns the state of the agent called `name`. Of `acp` and `command` it depends on the program; one that ralph does not
 * know has none.
 */
export function agentState(
  { name, program }: { readonly name: string; readonly program: string },
  home: string,
  env: Environment,
): AgentState {
  const words = [name, bridges[basename(program)] ?? basename(program)];
  const known = words.find((word) => Object.hasOwn(states, word));
  return known === undefined ? { written: [], read: [] } : (states[known] as StateOf)(home, env);
}

function within(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => join(folder, name));
}
