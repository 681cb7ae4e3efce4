import type { AgentCommand } from "../agent.ts";
import type { StreamReader } from "./session-stream.ts";

/** How an adapter runs a session: its command line, and what reads and writes the program's streams. */
export interface SessionPlan {
  /** The agent's name. */
  readonly agent: string;
  readonly command: AgentCommand;
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly reader: StreamReader;
}
