import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { findProgram } from "../../process/find-program.ts";
import type { Agent, AgentError, AgentErrorKind, AgentRequest } from "../agent.ts";
import { stateEventsEnv } from "../formats/claude-turn.ts";
import { streamReaders } from "../formats/stream-readers.ts";
import { type AgentOutput, refusalIn } from "../limits/refusal-text.ts";
import type { AgentOptions } from "../session/agent-options.ts";
import { iterationEnv, runSession } from "../session/run-session.ts";
import { tiersOf } from "../session/tiers.ts";

/** Creates the adapter for any program: prompt on stdin, result on stdout (IF-1). Throws RALPH_AGENT_ARGV. */
export function commandAgent(options: AgentOptions): Agent {
  const [program, ...args] = options.program
    ? [options.program, ...(options.argv ?? []).slice(1)]
    : (options.argv ?? []);
  if (!program) {
    throw new RalphError("RALPH_AGENT_ARGV", "the `command` agent has no program to run", {
      hint: "Set it in .ralph/config.yaml: `agents: { command: { argv: [node, agent.mjs] } }`.",
    });
  }
  const tiers = tiersOf(options.tiers, ["default"]);
  const command: Agent["command"] = (request) => ({
    argv: [program, ...args, ...options.extraArgs],
    env: {
      ...iterationEnv(request),
      RALPH_PROMPT_FILE: promptFile(request),
      ...(options.format === "claude-stream-json" ? stateEventsEnv(options.env) : {}),
    },
  });
  return {
    name: "command",
    tiers,
    defaultModel: options.model ?? tiers[Math.floor((tiers.length - 1) / 2)] ?? tiers[0],
    permission: "its own",
    permissionHint: null,
    listsSkills: streamReaders[options.format].listsSkills,
    command,
    async run(request) {
      await writeFile(promptFile(request), request.prompt, { mode: 0o600 });
      return await runSession(request, {
        agent: "command",
        command: command(request),
        inheritedEnv: options.env,
        openStream: streamReaders[options.format].open,
        explain: (words) => classifyOutput(words, options.format),
        endsWithEvent: options.format !== "text",
      });
    },
    async probe() {
      const found = findProgram(program, { cwd: process.cwd(), env: options.env }) !== undefined;
      const hint = "Install it, or correct agents.command.argv in .ralph/config.yaml.";
      return found ? { found, program, version: null } : { found, program, hint };
    },
  };
}

function promptFile(request: AgentRequest): string {
  return join(request.tmpDir, "prompt.md");
}

/** Classifies a program's output. It may quote its work, so only its own statement at the end counts. */
function classifyOutput(words: AgentOutput, format: AgentOptions["format"]): AgentError | null {
  const refusal = refusalIn(words);
  if (!refusal) return null;
  const hints: Partial<Record<AgentErrorKind, string | null>> = {
    auth: streamReaders[format].loginHint,
    credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
  };
  return { ...refusal, hint: hints[refusal.kind] ?? null };
}
