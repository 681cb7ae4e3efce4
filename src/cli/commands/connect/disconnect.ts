import type { CommandSpec } from "../../shell/command.ts";
import { changeConnection } from "./change-connection.ts";
import { connectableAgents } from "./targets.ts";

/** `ralph disconnect` (AGENT-8). */
export const command: CommandSpec = {
  description:
    "Removes what `ralph connect` wrote, and nothing else: shows the change and asks before it writes. A file that you changed since is left as it is, with a hint.",
  examples: ["ralph disconnect claude", "ralph disconnect codex --yes"],
  arguments: [{ name: "<agent>", description: "the agent to disconnect", choices: connectableAgents }],
  options: [{ flags: "--yes", description: "write without asking" }],
  run: async (session, { args, options }) => {
    const agent = String(args["agent"]);
    await changeConnection(session, {
      action: "disconnect",
      agent,
      verify: false,
      yes: options["yes"] === true,
    });
  },
};
