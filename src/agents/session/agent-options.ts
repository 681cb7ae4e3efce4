/** What of the configuration and surroundings an agent is made of, as plain values. */
export interface AgentOptions {
  /** Null: the agent's own default. */
  readonly model: string | null;
  /** Cheap, middle, strong; null: the agent's own. */
  readonly tiers: readonly string[] | null;
  /** `plan | ask | edit | shell | bypass`; null: `edit`. */
  readonly permission: string | null;
  /** Put after ralph's own arguments, so that they win. */
  readonly extraArgs: readonly string[];
  /** The program instead of the agent's own name. */
  readonly program: string | null;
  /** `command` only: what to run. */
  readonly argv: readonly string[] | null;
  /** `command` only: what its stdout is. */
  readonly format: "text" | "claude-stream-json" | "codex-json";
  /** The command of ralph's own MCP server, for agents that take one for a session; null: none is attached. */
  readonly tools: readonly [string, ...string[]] | null;
  /** The environment that the agent inherits. */
  readonly env: Readonly<Record<string, string>>;
}
