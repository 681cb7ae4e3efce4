/** The surroundings that an adapter is created in, besides its settings. */
export interface AgentSetup {
  /** The environment that the agent inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** The command of ralph's own MCP server, for agents that accept one per session; null: none is attached. */
  readonly tools: readonly [string, ...string[]] | null;
  /** True: the agent only answers about untrusted text: it has no tools, and its permission is `plan`, whatever its settings say. */
  readonly readOnly: boolean;
}
