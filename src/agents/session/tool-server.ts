import type { AgentRequest, AgentSetup } from "../port/agent.ts";

interface ToolServer {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables by which it finds its run: some agents start servers with an empty environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Returns ralph's own MCP server for one session; null: none is attached. */
export function toolServer(
  { taskId, runId, service }: Pick<AgentRequest, "taskId" | "runId" | "service">,
  { tools }: Pick<AgentSetup, "tools">,
): ToolServer | null {
  if (tools === null) return null;
  const [command, ...args] = tools;
  return { command, args, env: { RALPH_TASK_ID: taskId, RALPH_RUN_ID: runId, ...service?.env } };
}
