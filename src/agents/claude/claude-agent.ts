import { isAbsolute, relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { Agent, AgentError, AgentRequest, AgentResult } from "../agent.ts";
import { loginHint, refusalFromClaude } from "../formats/claude-failure.ts";
import { claudeStream } from "../formats/claude-stream.ts";
import { stateEventsEnv } from "../formats/claude-turn.ts";
import type { AgentOptions } from "../session/agent-options.ts";
import { errorResult } from "../session/error-result.ts";
import { iterationEnv, runSession } from "../session/run-session.ts";
import { tiersOf } from "../session/tiers.ts";
import { backgroundEnv, backgroundFlags } from "./background.ts";
import { bypasses, claudePermission, permissionFlags, refusesBypass } from "./permission.ts";
import { probeClaude } from "./probe-claude.ts";

/** The maximum of Claude Code on stdin; with more it ends with exit code 1 (observed with 2.1.197 and 2.1.329). */
const maxPromptBytes = 10 * 1024 * 1024;

/** Creates the adapter for headless Claude Code. Throws RALPH_AGENT_PERMISSION. */
export function claudeAgent(options: AgentOptions): Agent {
  const permission = claudePermission(options.permission);
  const bypass = bypasses(permission, options.extraArgs);
  if (bypass && refusesBypass(options.env)) {
    const message = "Claude Code refuses to skip its permission checks when it is run by root.";
    throw new RalphError("RALPH_AGENT_PERMISSION", message, { hint: loginHint("permission") ?? "" });
  }
  const program = options.program ?? "claude";
  const output = ["-p", "--output-format", "stream-json", "--verbose"];
  const command: Agent["command"] = (request) => ({
    argv: [
      program,
      ...output,
      ...backgroundFlags(options.extraArgs),
      ...writableFolders(request),
      ...toolFlags(request, options.tools),
      ...permissionFlags(permission, request.verifyCommands, options.tools === null ? [] : [ownTools]),
      "--model",
      request.model,
      ...options.extraArgs,
    ],
    env: { ...iterationEnv(request), ...agentEnvironment(request, options.env) },
  });
  return {
    name: "claude",
    tiers: tiersOf(options.tiers, ["haiku", "sonnet", "opus"]),
    defaultModel: options.model ?? "sonnet",
    permission: bypass ? "bypass" : permission,
    permissionHint:
      'Allow more with agents.claude.permission (`shell`: any command), or one thing with agents.claude.extraArgs: [--allowedTools, "Bash(npm install:*)"].',
    listsSkills: ".claude/skills",
    command,
    run: async (request: AgentRequest): Promise<AgentResult> => {
      const tooLong = promptTooLong(request);
      if (tooLong) return errorResult(tooLong);
      return await runSession(request, {
        agent: "claude",
        command: command(request),
        inheritedEnv: options.env,
        openStream: claudeStream,
        explain: refusalFromClaude,
        endsWithEvent: true,
      });
    },
    probe: async () => await probeClaude(program, options.env),
  };
}

/** Claude Code's name for all tools of the server called `ralph`. */
const ownTools = "mcp__ralph";

/**
 * Adds ralph's own server to the session, beside the person's servers; it replaces one of theirs named `ralph`.
 * `alwaysLoad`: newer versions would otherwise hide its tools behind a search. The flag takes any number of words, so
 * another flag always follows it.
 */
function toolFlags({ taskId, runId }: AgentRequest, tools: AgentOptions["tools"]): readonly string[] {
  if (tools === null) return [];
  const [command, ...args] = tools;
  const env = { RALPH_TASK_ID: taskId, RALPH_RUN_ID: runId };
  const ralph = { type: "stdio", alwaysLoad: true, command, args, env };
  return ["--mcp-config", JSON.stringify({ mcpServers: { ralph } })];
}

/** Lets the agent write to its temporary folder when that is outside the project, and to its journal's folder. */
function writableFolders({ cwd, tmpDir, journal }: AgentRequest): readonly string[] {
  const path = relative(cwd, tmpDir);
  const isOutside = path === ".." || path.startsWith("../") || isAbsolute(path);
  const folders = [...(isOutside ? [tmpDir] : []), ...(journal ? [journal.folder] : [])];
  return folders.length > 0 ? ["--add-dir", ...folders] : [];
}

/** Scratch files in the iteration's own folder, no side traffic, two retries instead of ten, no background work. */
function agentEnvironment(request: AgentRequest, env: AgentOptions["env"]): Record<string, string> {
  return {
    // Claude Code prefers this to TMPDIR; a folder set by the user would outlive the iteration.
    CLAUDE_CODE_TMPDIR: request.tmpDir,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] ?? "1",
    CLAUDE_CODE_MAX_RETRIES: env["CLAUDE_CODE_MAX_RETRIES"] ?? "2",
    ...backgroundEnv(env),
    ...stateEventsEnv(env),
  };
}

function promptTooLong({ prompt }: AgentRequest): AgentError | null {
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= maxPromptBytes) return null;
  const kind = "prompt_too_long";
  const message = `the prompt has ${(bytes / 1024 / 1024).toFixed(1)} MiB; Claude Code accepts at most 10`;
  return { kind, message, resetAt: null, hint: loginHint(kind) };
}
