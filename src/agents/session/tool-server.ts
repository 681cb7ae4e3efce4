import type { AgentRequest } from "../agent.ts";
import type { AgentSetup } from "./agent-setup.ts";

interface ToolServer {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables by which it finds the project's data and its iteration: some agents start servers with an empty environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Returns ralph's own MCP server for one session; null: none is attached. */
export function toolServer(
  { taskId, runId, iteration }: Pick<AgentRequest, "taskId" | "runId" | "iteration">,
  { tools, env }: Pick<AgentSetup, "tools" | "env">,
): ToolServer | null {
  if (tools === null) return null;
  const [command, ...args] = tools;
  const own = Object.entries(env).filter(([name]) => /^(?:RALPH|XDG)_/.test(name));
  const iterationOf = { RALPH_TASK_ID: taskId, RALPH_RUN_ID: runId, RALPH_ITERATION: String(iteration) };
  return { command, args, env: { ...Object.fromEntries(own), ...iterationOf } };
}
