import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { contextFullHint } from "../formats/api-failure.ts";
import type { AgentRequest, AgentSetup } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";
import { opencodeRules } from "./opencode-rules.ts";

type Env = Readonly<Record<string, string>>;

/** The facts about a program that speaks the Agent Client Protocol, besides the protocol. */
export interface AcpProgram extends Pick<StreamReader, "hints" | "listsSkills"> {
  /** The agent's name in the configuration. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Arguments and variables of one session. */
  readonly args: (request: AgentRequest) => readonly string[];
  readonly env: (request: AgentRequest, level: Permission, setup: AgentSetup) => Env;
  readonly tiers: readonly [string, ...string[]];
  /** Its settings or variables already keep it from changing anything at `plan`: it needs no mode for that. */
  readonly obeysPlan: boolean;
  /** The usage of a prompt's answer is that of the last request alone. */
  readonly usageOfLastCall: boolean;
  /** Returns the reason from a line that reports another try of the model's API, such as `status 429`; null: no such line. */
  readonly retryIn: (line: string) => string | null;
  /** A file where it reports retries that its stderr does not show before its end. */
  readonly retryLog: (request: AgentRequest) => string | null;
  /** Returns true if a login or a key is there, without reading it; false: unknown, as there are other places. */
  readonly hasLogin: (env: Env) => boolean;
  /** How to install it. */
  readonly install: string;
}

/** Any program that speaks the protocol. */
export function anyProgram(argv: readonly [string, ...string[]]): AcpProgram {
  return {
    name: "acp",
    argv,
    args: () => [],
    env: () => ({}),
    tiers: ["default"],
    obeysPlan: false,
    usageOfLastCall: false,
    retryIn: (line) => (/\bretry|\battempt \d/i.test(line) ? line : null),
    retryLog: () => null,
    listsSkills: null,
    hints: {
      context_full: contextFullHint,
      auth: "Log in to the agent that agents.acp.argv starts, then run ralph again.",
      credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
    },
    hasLogin: () => false,
    install: "Install it, or correct agents.acp.argv in .ralph/config.yaml.",
  };
}

/** Gemini CLI. Without `--skip-trust` it offers no MCP tools; its stderr stays in memory until it exits (0.61.0). */
export const geminiProgram: AcpProgram = {
  name: "gemini",
  argv: ["gemini", "--acp", "--skip-trust"],
  args: ({ journal }) => (journal ? ["--include-directories", journal.folder] : []),
  env: (request) => ({
    // Its launcher ignores signals, and the program would outlive it.
    GEMINI_CLI_NO_RELAUNCH: "true",
    GEMINI_DEBUG_LOG_FILE: geminiLog(request),
  }),
  tiers: ["flash-lite", "flash", "pro"],
  obeysPlan: false,
  usageOfLastCall: false,
  retryIn: (line) => /\bAttempt \d+ failed\b.*/.exec(line)?.[0] ?? null,
  retryLog: geminiLog,
  listsSkills: ".agents/skills",
  hints: {
    context_full: contextFullHint,
    auth: "Log in by starting `gemini` once, or set GEMINI_API_KEY, then run ralph again.",
    credit: "Check the plan and billing of the Gemini API key, then run ralph again.",
    unusable:
      "Google no longer serves Gemini CLI to free, Pro and Ultra accounts: set GEMINI_API_KEY, or use another agent.",
    not_found: "Check the name of the model: `--model`, or `agents.gemini` in the configuration.",
  },
  hasLogin: (env) => {
    const keys = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"];
    const folder = join(env["GEMINI_CLI_HOME"] ?? env["HOME"] ?? "", ".gemini");
    const files = ["oauth_creds.json", "gemini-credentials.json"];
    return keys.some((name) => Boolean(env[name])) || files.some((file) => existsSync(join(folder, file)));
  },
  install: "Install Gemini CLI: npm i -g @google/gemini-cli; or set agents.gemini.program.",
};

function geminiLog({ tmpDir }: { readonly tmpDir: string }): string {
  return join(tmpDir, "gemini.log");
}

/** OpenCode. It retries a rate limit forever, and states that on stderr only, with these arguments (1.18.33). */
export const opencodeProgram: AcpProgram = {
  name: "opencode",
  argv: ["opencode", "acp", "--print-logs", "--log-level", "ERROR"],
  args: () => [],
  env: (request, level, setup) => ({
    OPENCODE_DISABLE_AUTOUPDATE: setup.env["OPENCODE_DISABLE_AUTOUPDATE"] ?? "1",
    // Otherwise each start leaves a library of 5 MB in its folder.
    OPENCODE_DISABLE_FFF: setup.env["OPENCODE_DISABLE_FFF"] ?? "1",
    OPENCODE_CONFIG_CONTENT: opencodeConfig(request, level, setup),
  }),
  tiers: ["default"],
  obeysPlan: true,
  usageOfLastCall: true,
  // Side requests, such as that for a title, have `small=true`.
  retryIn: (line) => /"stream error".* small=false .*error\.error="([^"]*)/.exec(line)?.[1] ?? null,
  retryLog: () => null,
  listsSkills: ".agents/skills",
  hints: {
    context_full: contextFullHint,
    auth: "Log in with `opencode auth login`, then run ralph again.",
    credit: "Add credit at the model's provider, then run ralph again.",
    not_found:
      "Check the name of the model (`provider/model`): `--model`, or `agents.opencode` in the configuration.",
  },
  hasLogin: (env) => {
    const data = env["XDG_DATA_HOME"] ?? join(env["HOME"] ?? "", ".local/share");
    return existsSync(join(data, "opencode/auth.json"));
  },
  install: "Install OpenCode: npm i -g opencode-ai; or set agents.opencode.program.",
};

/** Adds the rules to the configuration that the user has in the same variable; OpenCode merges it with their files. */
function opencodeConfig(
  request: AgentRequest,
  level: Permission,
  { env, readOnly, mayRead }: AgentSetup,
): string {
  const given = parseJson(env["OPENCODE_CONFIG_CONTENT"] ?? "");
  const config: JsonObject = isObject(given) ? given : {};
  const theirs = isObject(config["permission"]) ? config["permission"] : {};
  const ours = opencodeRules(level, request);
  return JSON.stringify({
    ...config,
    ...(ours && { permission: { ...theirs, ...ours } }),
    ...(readOnly && !mayRead && { tools: { "*": false } }),
  });
}
