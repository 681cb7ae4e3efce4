import { isAbsolute, relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { KnownAgentSettings } from "../../base/shared-settings.ts";
import { claudeFormat } from "../formats/claude-stream.ts";
import type { Agent, AgentError, AgentRequest, AgentSetup } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";
import { sessionAgent } from "../session/session-agent.ts";
import { errorResult } from "../session/session-result.ts";
import { toolServer } from "../session/tool-server.ts";
import { backgroundEnv, backgroundFlags, isForeground } from "./background.ts";
import { claudeConversation, conversationFlags } from "./claude-conversation.ts";
import { claudeModels } from "./offered-models.ts";
import { claudePayment } from "./payment.ts";
import { bypasses, permissionFlags, refusesBypass } from "./permission.ts";
import { probeClaude } from "./probe-claude.ts";

/** The maximum of Claude Code on stdin; with more it ends with exit code 1 (observed with 2.1.197 and 2.1.329). */
const maxPromptBytes = 10 * 1024 * 1024;

/** Creates the adapter for headless Claude Code. Throws RALPH_AGENT_PERMISSION. */
export function claudeAgent(settings: KnownAgentSettings, setup: AgentSetup): Agent {
  const { env, tools, readOnly, mayRead = false } = setup;
  // The mode `plan` asks for a plan in a file, by a tool that a session with few tools does not have, and takes Sonnet for Haiku.
  const permission = readOnly ? "ask" : (settings.permission ?? setup.defaultPermission);
  const { extraArgs } = settings;
  const bypass = bypasses(permission, extraArgs);
  if (bypass && refusesBypass(env)) {
    const message = "Claude Code refuses to skip its permission checks when it is run by root.";
    throw new RalphError("RALPH_AGENT_PERMISSION", message, { hint: claudeFormat.hints.permission ?? "" });
  }
  const program = settings.program ?? "claude";
  const takesMessages = isForeground(extraArgs, env);
  const output = ["-p", "--output-format", "stream-json", "--verbose"];
  const command: Agent["command"] = (request) => ({
    argv: [
      program,
      ...output,
      ...(takesMessages ? conversationFlags : []),
      ...backgroundFlags(extraArgs),
      ...writableFolders(request),
      ...(readOnly ? onlyTools(mayRead ? "Read,Grep,Glob" : "") : toolFlags(request, tools)),
      ...permissionFlags(permission, request.allowedCommands, tools === null ? [] : [ownTools]),
      ...modelFlags(request),
      ...extraArgs,
    ],
    env: {
      ...agentEnvironment(request, env),
      ...(readOnly && !mayRead ? noProject : {}),
    },
  });
  const agent = sessionAgent({
    ...{ name: "claude", settings, program, env, command, listsSkills: claudeFormat.listsSkills },
    ...{ tiers: ["haiku", "sonnet", "opus"], defaultModel: "sonnet" },
    permission: bypass ? "bypass" : permission,
    permissionHint:
      'Allow more with agents.claude.permission (`shell`: any command), or one thing with agents.claude.extraArgs: [--allowedTools, "Bash(npm install:*)"].',
    reader: ({ prompt }) =>
      takesMessages ? { ...claudeFormat, open: claudeConversation(prompt) } : claudeFormat,
    payment: () => claudePayment(env),
    models: { sessionsRefuse: false, ask: async (cwd) => await claudeModels(program, env, cwd) },
    probe: async () => await probeClaude(program, env),
  });
  return {
    ...agent,
    run: async (request) => {
      const tooLong = promptTooLong(request);
      return tooLong ? errorResult(tooLong) : await agent.run(request);
    },
  };
}

/** For an agent that only answers: no other tool of its own, and no server of the person's. */
const onlyTools = (names: string): readonly string[] => ["--tools", names, "--strict-mcp-config"];

/** For an agent that only answers: nothing of the project that its folder is in. */
const noProject: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
};

/** Claude Code's name for all tools of the server called `ralph`. */
const ownTools = "mcp__ralph";

/**
 * Adds ralph's own server to the session, beside the person's servers; it replaces one of theirs named `ralph`.
 * `alwaysLoad`: newer versions would otherwise hide its tools behind a search. The flag takes any number of words, so
 * another flag always follows it.
 */
function toolFlags(request: AgentRequest, tools: AgentSetup["tools"]): readonly string[] {
  const server = toolServer(request, { tools });
  if (!server) return [];
  const ralph = { type: "stdio", alwaysLoad: true, ...server };
  return ["--mcp-config", JSON.stringify({ mcpServers: { ralph } })];
}

function modelFlags({ model: tier }: AgentRequest): readonly string[] {
  const { model, effort } = parseTier(tier);
  return ["--model", model, ...(effort === null ? [] : ["--effort", effort])];
}

/** Lets the agent write to its temporary folder when that is outside the project, and to its journal's folder. */
function writableFolders({ cwd, tmpDir, journal }: AgentRequest): readonly string[] {
  const path = relative(cwd, tmpDir);
  const isOutside = path === ".." || path.startsWith("../") || isAbsolute(path);
  const folders = [...(isOutside ? [tmpDir] : []), ...(journal ? [journal.folder] : [])];
  return folders.length > 0 ? ["--add-dir", ...folders] : [];
}

/** Scratch files in the iteration's own folder, no side traffic, two retries instead of ten, no background work. */
function agentEnvironment(request: AgentRequest, env: AgentSetup["env"]): Record<string, string> {
  return {
    // Claude Code prefers this to TMPDIR; a folder set by the user would outlive the iteration.
    CLAUDE_CODE_TMPDIR: request.tmpDir,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] ?? "1",
    CLAUDE_CODE_MAX_RETRIES: env["CLAUDE_CODE_MAX_RETRIES"] ?? "2",
    ...backgroundEnv(env),
    ...claudeFormat.env(env),
  };
}

function promptTooLong({ prompt }: AgentRequest): AgentError | null {
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= maxPromptBytes) return null;
  const kind = "prompt_too_long";
  const message = `the prompt has ${(bytes / 1024 / 1024).toFixed(1)} MiB; Claude Code accepts at most 10`;
  return { kind, message, resetAt: null, hint: claudeFormat.hints[kind] ?? null };
}
