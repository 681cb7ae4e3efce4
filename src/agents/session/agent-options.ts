import type { StreamFormat } from "../../base/stream-format.ts";

/** The settings and environment that an agent is created from, as plain values. */
export interface AgentOptions {
  /** Null: the agent's own default. */
  readonly model: string | null;
  /** Cheap, middle, strong; null: the agent's own. */
  readonly tiers: readonly string[] | null;
  /** `plan | ask | edit | shell | bypass`; null: `edit`. */
  readonly permission: string | null;
  /** Appended to ralph's own arguments, so that they win. */
  readonly extraArgs: readonly string[];
  /** The program to run in place of the agent's own name. */
  readonly program: string | null;
  /** `command` only: the command line. */
  readonly argv: readonly string[] | null;
  /** `command` only: the format of its stdout. */
  readonly format: StreamFormat;
  /** The command of ralph's own MCP server, for agents that accept one per session; null: none is attached. */
  readonly tools: readonly [string, ...string[]] | null;
  /** The environment that the agent inherits. */
  readonly env: Readonly<Record<string, string>>;
}
