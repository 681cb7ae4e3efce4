import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { CommandSettings } from "../../base/shared-settings.ts";
import { findProgram } from "../../process/find-program.ts";
import { streamReaders } from "../formats/stream-readers.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { tiersOf } from "../port/tiers.ts";
import { iterationEnv } from "../session/iteration-env.ts";
import { runSession } from "../session/run-session.ts";
import { missingProgram } from "../session/session-error.ts";

/** Creates the adapter for any program: prompt on stdin, result on stdout (IF-1). Throws RALPH_AGENT_ARGV. */
export function commandAgent(settings: CommandSettings, { env }: AgentSetup): Agent {
  const [program, ...args] = settings.argv ?? [];
  if (program === undefined) {
    throw new RalphError("RALPH_AGENT_ARGV", "the `command` agent has no program to run", {
      hint: "Set it in .ralph/config.yaml: `agents: { command: { argv: [node, agent.mjs] } }`.",
    });
  }
  const tiers = tiersOf(settings.tiers, ["default"]);
  const reader = streamReaders[settings.format];
  const command: Agent["command"] = (request) => ({
    argv: [program, ...args],
    env: { ...iterationEnv(request), RALPH_PROMPT_FILE: promptFile(request), ...reader.env(env) },
    files: { [promptFile(request)]: request.prompt },
  });
  return {
    name: "command",
    tiers,
    defaultModel: settings.model ?? tiers[Math.floor((tiers.length - 1) / 2)] ?? tiers[0],
    permission: "its own",
    permissionHint: null,
    listsSkills: reader.listsSkills,
    command,
    run: async (request) =>
      await runSession(request, { agent: "command", command: command(request), inheritedEnv: env, reader }),
    missing: (cwd) => missingProgram("command", program, { cwd, env }),
    async probe() {
      const found = findProgram(program, { cwd: process.cwd(), env }) !== undefined;
      const hint = "Install it, or correct agents.command.argv in .ralph/config.yaml.";
      return found ? { found, program, version: null } : { found, program, hint };
    },
  };
}

function promptFile(request: AgentRequest): string {
  return join(request.tmpDir, "prompt.md");
}
