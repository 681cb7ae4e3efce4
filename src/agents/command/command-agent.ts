import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { CommandSettings } from "../../base/shared-settings.ts";
import { findProgram } from "../../process/find-program.ts";
import { streamReaders } from "../formats/stream-readers.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { sessionAgent } from "../session/session-agent.ts";

/** Creates the adapter for any program: prompt on stdin, result on stdout (IF-1). Throws RALPH_AGENT_ARGV. */
export function commandAgent(settings: CommandSettings, { env }: AgentSetup): Agent {
  const [program, ...args] = settings.argv ?? [];
  if (program === undefined) {
    throw new RalphError("RALPH_AGENT_ARGV", "the `command` agent has no program to run", {
      hint: "Set it in .ralph/config.yaml: `agents: { command: { argv: [node, agent.mjs] } }`.",
    });
  }
  const reader = streamReaders[settings.format];
  const command: Agent["command"] = (request) => ({
    argv: [program, ...args],
    env: { RALPH_PROMPT_FILE: promptFile(request), ...reader.env(env) },
    files: { [promptFile(request)]: request.prompt },
  });
  const tiers = settings.tiers ?? [];
  return sessionAgent({
    ...{ name: "command", settings, program, env, command, listsSkills: reader.listsSkills },
    ...{ tiers: ["default"], defaultModel: tiers[Math.floor((tiers.length - 1) / 2)] ?? "default" },
    ...{ permission: "its own", permissionHint: null, reader: () => reader },
    async probe() {
      const found = findProgram(program, { cwd: process.cwd(), env }) !== undefined;
      const hint = "Install it, or correct agents.command.argv in .ralph/config.yaml.";
      return found ? { found, program, version: null } : { found, program, hint };
    },
  });
}

function promptFile(request: AgentRequest): string {
  return join(request.tmpDir, "prompt.md");
}
