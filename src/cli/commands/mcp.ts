import { readEnv, sensitiveValues } from "../../config/environment.ts";
import { serveMcp } from "../../mcp/serve.ts";
import type { ToolActions } from "../../mcp/tool.ts";
import { openLearningActions } from "../../memory/learning-actions.ts";
import { attemptCounts } from "../../outcome/outcome-store.ts";
import { openTaskActions } from "../../tasks/task-actions.ts";
import { registerSecrets } from "../../trust/redact.ts";
import { currentIteration } from "../project/current-iteration.ts";
import { endpointOf } from "../project/embedding-endpoint.ts";
import type { CommandSpec, Session } from "../shell/command.ts";
import { version } from "../shell/version.ts";

/** `ralph mcp`. */
export const mcp: CommandSpec = {
  name: "mcp",
  summary: "serve memory and tasks to an agent, over MCP",
  description: [
    "Speaks the Model Context Protocol on standard input and output until its input ends. Its tools (memory_search, memory_store, memory_feedback, task_list, task_add, task_done, task_failed) do what the typed commands do, in the project around the folder that it is started in.",
    "`ralph run` gives it to Claude Code for each iteration by itself, beside your own servers; `mcp: { enabled: false }` in the configuration turns that off.",
    "To have it in a session of your own, type in the project: claude mcp add ralph -- ralph mcp. Other agents take the same command as a stdio server.",
  ].join("\n\n"),
  examples: ["claude mcp add ralph -- ralph mcp", "ralph mcp -C ~/project"],
  options: [
    { flags: "--agent <name>", description: "the agent that it serves, kept with what is stored" },
    { flags: "--no-memory", description: "without memory_search; what is stored is kept all the same" },
  ],
  run: async (session, { options }) => {
    registerSecrets(sensitiveValues());
    if (process.stdin.isTTY) session.note("hint: this is for agents: claude mcp add ralph -- ralph mcp");
    const agent = typeof options["agent"] === "string" ? options["agent"].slice(0, 60) : null;
    await serveMcp({
      version,
      search: options["memory"] !== false,
      open: (work) => withActions(session, agent, work),
      input: process.stdin,
      output: process.stdout,
      warn: (message) => session.note(`warning: ${message}`),
    });
    return 0;
  },
};

async function withActions<T>(
  session: Session,
  agent: string | null,
  work: (desks: ToolActions) => Promise<T>,
): Promise<T> {
  const { db, root, loaded, close } = await session.openProject();
  try {
    const now = (): Date => session.clock.now();
    const { ownerIsAlive } = await import("../../agents/supervision.ts");
    const actor = { currentTaskId: readEnv("RALPH_TASK_ID") || undefined, isAlive: ownerIsAlive };
    const iteration = await currentIteration(db);
    return await work({
      learnings: openLearningActions({ db, root, now, embeddings: endpointOf(loaded.settings) }),
      tasks: openTaskActions({ db, root, now, actor, attemptCounts, since: iteration?.startedAt }),
      iteration,
      agent,
    });
  } finally {
    await close();
  }
}
