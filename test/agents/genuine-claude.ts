import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentRequest } from "../../src/agents/port/agent.ts";
import type { IsolationLevel } from "../../src/agents/port/confinement.ts";
import { detectIsolation } from "../../src/agents/supervision.ts";
import { safe } from "../../src/base/safe-text.ts";
import type { Permission } from "../../src/base/shared-settings.ts";
import { fakeEnv, newToken } from "../fakes/fake.ts";
import { newClaude } from "../fakes/new-agent.ts";
import { genuineAgent } from "./genuine-agents.ts";

const genuine = genuineAgent("claude");
export const program: string = genuine.program;
export const found: boolean = genuine.found;
// Removed with the home of the whole suite: files that share a process share this module.
const folder = mkdtempSync(join(process.env["HOME"] ?? tmpdir(), "claude-"));
const isolation = await detectIsolation("auto");
export const levels: readonly IsolationLevel[] = [...new Set<IsolationLevel>(["process-group", isolation])];

interface Setup {
  readonly permission?: Permission;
  readonly extraArgs?: readonly string[];
  readonly tools?: readonly [string, ...string[]] | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
}

/** Claude Code without account, settings or internet, talking to `url`. */
export function claude(
  url: string,
  { permission = "edit", extraArgs = [], tools = null, env = {}, readOnly = false }: Setup = {},
): Agent {
  const home = mkdtempSync(join(folder, "home-"));
  return newClaude({
    model: "claude-sonnet-4-5",
    permission,
    extraArgs,
    program,
    tools,
    readOnly,
    env: {
      ...fakeEnv,
      LANG: "C.UTF-8",
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      ...env,
    },
  });
}

/** No second try after a failed call. */
export const noRetries: Setup = { env: { CLAUDE_CODE_MAX_RETRIES: "0" } };

/** A session in a project folder of its own. */
export function newRequest(changes: Partial<AgentRequest> = {}): AgentRequest {
  const cwd = mkdtempSync(join(folder, "project-"));
  return {
    prompt: safe`Do task t-1`,
    cwd,
    model: "claude-sonnet-4-5",
    taskId: "t-1",
    runId: "r-1",
    iteration: 1,
    attempt: 1,
    marker: `marker-${newToken()}`,
    tmpDir: mkdtempSync(join(folder, "tmp-")),
    journal: null,
    service: null,
    allowedCommands: [],
    logFile: join(folder, `${newToken()}.log`),
    timeoutMs: 60_000,
    idleTimeoutMs: 30_000,
    signal: new AbortController().signal,
    isolation,
    sandbox: null,
    onActivity: () => undefined,
    ...changes,
  };
}

const version = found ? await versionOf(claude("http://127.0.0.1:9")) : "0";
/**
 * Whether it waits for background commands and wake-ups (seen with 2.1.330). 2.1.197 ends a command five seconds after
 * its answer and has no wake-ups.
 */
export const waits: boolean = version.localeCompare("2.1.300", "en", { numeric: true }) >= 0;

async function versionOf(agent: Agent): Promise<string> {
  const probe = await agent.probe();
  return (probe.found ? probe.version : null) ?? "0";
}
