import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Agent, AgentRequest } from "../../src/agents/agent.ts";
import type { IsolationLevel } from "../../src/agents/isolation.ts";
import { detectIsolation } from "../../src/agents/supervision.ts";
import type { Permission } from "../../src/base/agent-settings.ts";
import { safe } from "../../src/base/safe-text.ts";
import { fakeEnv, newToken } from "../fakes/fake.ts";
import { newClaude } from "../fakes/new-agent.ts";

/**
 * The genuine program that these tests run: `claude` on PATH, or the one that RALPH_TEST_CLAUDE names. They are skipped
 * if there is none. To try a version, install it outside the repository and name its program (a plain install on
 * Node 20 takes an older one):
 *
 *     npm i --prefix /tmp/claude @anthropic-ai/claude-code@2.1.330
 *     RALPH_TEST_CLAUDE=/tmp/claude/node_modules/.bin/claude npm run test:real-agents
 */
export const program: string = process.env["RALPH_TEST_CLAUDE"] ?? "claude";
const folder = mkdtempSync(join(tmpdir(), "ralph-claude-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
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
    verifyCommands: [],
    logFile: join(folder, `${newToken()}.log`),
    timeoutMs: 60_000,
    idleTimeoutMs: 30_000,
    signal: new AbortController().signal,
    isolation,
    onActivity: () => undefined,
    ...changes,
  };
}

const probe = await claude("http://127.0.0.1:9").probe();
/** False: these tests are skipped, and say so. */
export const found: boolean = probe.found;
const version = probe.found ? (probe.version ?? "0") : "0";
/**
 * Whether it waits for background commands and wake-ups (seen with 2.1.330). 2.1.197 ends a command five seconds after
 * its answer and has no wake-ups.
 */
export const waits: boolean = version.localeCompare("2.1.300", "en", { numeric: true }) >= 0;
if (!found) {
  process.stderr.write(`skipped: the tests with the genuine Claude Code, as ${program} is not on PATH\n`);
}
