import type { JsonValue } from "../../base/json.ts";
import { safe } from "../../base/safe-text.ts";
import { answerOfError, callTool, type ToolAnswer, type ToolCall, toolAnswer } from "../../mcp/call-tool.ts";
import { serveMcp } from "../../mcp/serve.ts";
import type { RunAddress } from "../../service/protocol.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { runAddress } from "../door/run-address.ts";
import type { CommandSpec, Session } from "../shell/command.ts";
import { version } from "../shell/version.ts";

/** `ralph mcp`. */
export const command: CommandSpec = {
  description: [
    "Serves the Model Context Protocol on standard input and output until the input ends. Its tools (memory_search, memory_store, memory_feedback, note_add, note_list, task_list, task_add, task_done, task_failed) work like the commands of the same names, in the project around the current folder.",
    "`ralph run` attaches it in each iteration to Claude Code, Codex and the agents that speak ACP (Gemini CLI and OpenCode too), beside your own servers; not to `pi` and `command`. Set `mcp: { enabled: false }` in the configuration to turn that off.",
    "To use it in your own sessions, run `ralph connect claude` (or codex, gemini, opencode), or configure `ralph mcp` as a stdio server of another agent.",
  ].join("\n\n"),
  examples: ["ralph mcp -C ~/project"],
  options: [
    { flags: "--agent <name>", description: "name of the agent, recorded with what it stores" },
    {
      flags: "--connected",
      description: "serve no tools inside an iteration or outside a project (used by ralph connect)",
    },
    { flags: "--no-memory", description: "leave out memory_search (learnings are still stored)" },
  ],
  run: async (session, { options }) => {
    if (process.stdin.isTTY) session.note("hint: this command is for agents; run `ralph connect claude`");
    const agent = typeof options["agent"] === "string" ? options["agent"].slice(0, 60) : null;
    const isConnected = options["connected"] === true;
    const { isConnectedSession } = await import("../project/connected-session.ts");
    await serveMcp({
      version,
      search: options["memory"] !== false,
      silent: isConnected && !isConnectedSession(session.cwd),
      call: await callerOf(session, agent),
      input: process.stdin,
      output: process.stdout,
      warn: (message) => session.note(safe`warning: ${safeLine(message)}`),
    });
  },
};

type Caller = (call: ToolCall) => Promise<ToolAnswer>;

/** Returns what executes calls: the run whose agent started this server, else this process. */
async function callerOf(session: Session, agent: string | null): Promise<Caller> {
  const address = runAddress();
  if (address && (await import("../door/ask-the-run.ts")).isOfRun(address, session.cwd))
    return (call) => throughRun(address, call, agent);
  return (call) =>
    callTool(call, async (work) => {
      // Loaded with the first call: an agent waits for the answer to `initialize`, which needs none of it.
      const { withToolActions } = await import("../door/tool-actions.ts");
      return await withToolActions(session, agent, work);
    });
}

async function throughRun(
  address: RunAddress,
  { name, given }: ToolCall,
  agent: string | null,
): Promise<ToolAnswer> {
  try {
    const { askRun } = await import("../../service/client.ts");
    const request = { kind: "tool", name, given: given as JsonValue, agent } as const;
    const { code, stdout, stderr } = await askRun(address, request);
    return toolAnswer(`${stdout}${stderr}`, code !== 0);
  } catch (error) {
    return answerOfError(error);
  }
}
