/** The command lines by which agents of the public registry speak the Agent Client Protocol, by the names people use. */
const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  goose: ["goose", "acp"],
  qwen: ["qwen", "--acp"],
  cursor: ["cursor-agent", "acp"],
  copilot: ["copilot", "--acp"],
  amp: ["amp-acp"],
  cline: ["cline", "--acp"],
  kimi: ["kimi", "acp"],
  junie: ["junie", "--acp=true"],
  droid: ["droid", "exec", "--output-format", "acp-daemon"],
  auggie: ["auggie", "--acp"],
};

interface KnownAcpAgent {
  readonly name: string;
  /** For `agents.acp.argv`. */
  readonly argv: readonly [string, ...string[]];
}

/** The agents that `acp` can run without anything else to configure. */
export const knownAcpAgents: readonly KnownAcpAgent[] = Object.entries(commands).map(([name, argv]) => ({
  name,
  argv,
}));

/** Returns the agent that people call `name`; null: none of them. */
export function knownAcpAgent(name: string): KnownAcpAgent | null {
  return knownAcpAgents.find((known) => known.name === name) ?? null;
}
