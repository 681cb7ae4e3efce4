import { RalphError } from "../../base/errors.ts";
import type { Agent, AgentError, AgentProbe, AgentRequest } from "../agent.ts";
import type { AgentOptions } from "../agent-options.ts";
import { hintFor } from "../claude-failure.ts";
import { claudeStream } from "../claude-stream.ts";
import { kindOfMessage } from "../error-kind.ts";
import { type LastWords, refusalIn } from "../last-words.ts";
import { probeProgram } from "../probe-program.ts";
import { iterationEnv, runSession } from "../run-session.ts";
import { tiersOf } from "../tiers.ts";

/** Without flags Claude Code denies what it would have to ask for, and says so in the result. */
const permissions: Readonly<Record<string, readonly string[]>> = {
  plan: ["--permission-mode", "plan"],
  ask: [],
  edit: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(*)", "Edit", "Write", "NotebookEdit"],
  full: ["--permission-mode", "bypassPermissions"],
};

/** Claude Code, headless. Throws RALPH_AGENT_PERMISSION. */
export function claudeAgent(options: AgentOptions): Agent {
  const permission = options.permission ?? "edit";
  const flags = permissions[permission];
  if (!flags) {
    throw new RalphError("RALPH_AGENT_PERMISSION", `agents.claude.permission is "${permission}".`, {
      hint: `It can be ${Object.keys(permissions).join(", ")}.`,
    });
  }
  const program = options.program ?? "claude";
  const output = ["-p", "--output-format", "stream-json", "--verbose"];
  const command: Agent["command"] = (request) => ({
    argv: [program, ...output, "--model", request.model, ...flags, ...options.extraArgs],
    env: { ...iterationEnv(request), ...quiet(options.env) },
  });
  return {
    name: "claude",
    tiers: tiersOf(options.tiers, ["haiku", "sonnet", "opus"]),
    defaultModel: options.model ?? "sonnet",
    permission,
    command,
    run: async (request: AgentRequest) =>
      await runSession(request, {
        agent: "claude",
        command: command(request),
        inheritedEnv: options.env,
        openStream: claudeStream,
        explain,
        endsWithEvent: true,
      }),
    probe: async (): Promise<AgentProbe> =>
      await probeProgram(program, options.env, "Install Claude Code: npm i -g @anthropic-ai/claude-code"),
  };
}

/** No side traffic, and ralph's own waiting in place of ten retries; what the user has set stands. */
function quiet(env: AgentOptions["env"]): Record<string, string> {
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] ?? "1",
    CLAUDE_CODE_MAX_RETRIES: env["CLAUDE_CODE_MAX_RETRIES"] ?? "2",
  };
}

function explain(words: LastWords): AgentError | null {
  const message = words.stderr.trim();
  if (/cannot be used with root\/sudo/i.test(message)) {
    const hint =
      "Run ralph as another user, take a lower permission than `full`, or, inside a throw-away container, set IS_SANDBOX=1.";
    return { kind: "permission", message, resetAt: null, hint };
  }
  const refusal = refusalIn(words);
  if (refusal) return { ...refusal, hint: hintFor(refusal.kind) };
  const kind = kindOfMessage(message);
  return kind === "auth" || kind === "credit" ? { kind, message, resetAt: null, hint: hintFor(kind) } : null;
}
