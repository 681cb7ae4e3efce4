import { safe } from "../../../base/safe-text.ts";
import { safeLine } from "../../../trust/safe-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";
import { changeConnection } from "./change-connection.ts";
import { connectableAgents } from "./targets.ts";

/** `ralph connect` (AGENT-8). */
export const command: CommandSpec = {
  description: [
    "Connects the sessions that you start yourself: Claude Code by a plugin (tools, a skill, and hooks that add fitting memories), Codex by a server entry and the same hooks, Gemini CLI, OpenCode and pi (0.99 and later) by a server entry in your configuration. Shows the change and asks before it writes. `ralph disconnect` undoes it.",
    "The connection covers all projects; it is active only in folders that ralph knows, and never inside an iteration of `ralph run`.",
    "With --verify, Claude Code ends a turn that changed the project only when the project's approved verification passes.",
  ].join("\n\n"),
  examples: ["ralph connect claude", "ralph connect claude --verify", "ralph connect codex --yes"],
  arguments: [{ name: "<agent>", description: "the agent to connect", choices: connectableAgents }],
  options: [
    { flags: "--verify", description: "claude: verify before a turn ends (Stop hook)" },
    { flags: "--yes", description: "write without asking" },
  ],
  run: async (session, { args, options }) => {
    const agent = String(args["agent"]);
    const verify = options["verify"] === true;
    if (verify && agent !== "claude" && connectableAgents.includes(agent)) {
      throw usageError(
        safe`--verify is not available for ${safeLine(agent, 60)}`,
        "use it with claude, or run `ralph verify` yourself",
      );
    }
    await changeConnection(session, { action: "connect", agent, verify, yes: options["yes"] === true });
  },
};
