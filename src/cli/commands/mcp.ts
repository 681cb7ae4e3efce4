import { safe } from "../../base/safe-text.ts";
import { readEnv, sensitiveValues } from "../../config/environment.ts";
import { serveMcp } from "../../mcp/serve.ts";
import type { ToolActions } from "../../mcp/tool.ts";
import { openLearningActions } from "../../memory/learning-actions.ts";
import { openMemoryActions } from "../../memory/memory-actions.ts";
import { openNoteActions } from "../../memory/note-actions.ts";
import { attemptCounts } from "../../outcome/outcome-store.ts";
import { openTaskActions } from "../../tasks/task-actions.ts";
import { registerSecrets } from "../../trust/redact.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { isConnectedSession } from "../connect/connected-session.ts";
import { currentIteration } from "../project/current-iteration.ts";
import { endpointOf } from "../project/embedding-endpoint.ts";
import { currentSession } from "../project/session-name.ts";
import type { CommandSpec, Session } from "../shell/command.ts";
import { version } from "../shell/version.ts";

/** `ralph mcp`. */
export const mcp: CommandSpec = {
  name: "mcp",
  summary: "serve memory and tasks to agents over MCP",
  description: [
    "Serves the Model Context Protocol on standard input and output until the input ends. Its tools (memory_search, memory_store, memory_feedback, note_add, note_list, task_list, task_add, task_done, task_failed) work like the commands of the same names, in the project around the current folder.",
    "`ralph run` attaches it to Claude Code in each iteration, beside your own servers. Set `mcp: { enabled: false }` in the configuration to turn that off.",
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
    registerSecrets(sensitiveValues());
    if (process.stdin.isTTY) session.note("hint: this command is for agents; run `ralph connect claude`");
    const agent = typeof options["agent"] === "string" ? options["agent"].slice(0, 60) : null;
    await serveMcp({
      version,
      search: options["memory"] !== false,
      silent: options["connected"] === true && !isConnectedSession(session.cwd),
      open: (work) => withActions(session, agent, work),
      input: process.stdin,
      output: process.stdout,
      warn: (message) => session.note(safe`warning: ${safeLine(message)}`),
    });
    return 0;
  },
};

async function withActions<T>(
  session: Session,
  agent: string | null,
  work: (actions: ToolActions) => Promise<T>,
): Promise<T> {
  const { db, root, loaded, close } = await session.openProject();
  try {
    const now = (): Date => session.clock.now();
    const { ownerIsAlive } = await import("../../agents/supervision.ts");
    const actor = { currentTaskId: readEnv("RALPH_TASK_ID") || undefined, isAlive: ownerIsAlive };
    const iteration = await currentIteration(db);
    return await work({
      memory: openMemoryActions({ db, now, embeddings: endpointOf({ root, loaded }) }),
      learnings: openLearningActions({ db, root, now }),
      notes: await openNoteActions({ db, session: await currentSession(db, root, {}), iteration, now }),
      tasks: openTaskActions({ db, root, now, actor, attemptCounts, since: iteration?.startedAt }),
      iteration,
      agent,
    });
  } finally {
    await close();
  }
}
