import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentRequest } from "../../src/agents/port/agent.ts";
import { safe } from "../../src/base/safe-text.ts";
import { fakeEnv, fakeProgram, newToken } from "./fake.ts";
import { newClaude } from "./new-agent.ts";

/** An iteration of task `t-1` in `folder`, its scratch folder and its log there too. */
export function newRequestIn(folder: string, changes: Partial<AgentRequest> = {}): AgentRequest {
  return {
    prompt: safe`Do task t-1`,
    cwd: folder,
    model: "m",
    taskId: "t-1",
    runId: "r-1",
    iteration: 7,
    attempt: 2,
    marker: `marker-${newToken()}`,
    tmpDir: mkdtempSync(join(folder, "tmp-")),
    journal: null,
    service: null,
    allowedCommands: [],
    logFile: join(folder, "logs", `${newToken()}.log`),
    timeoutMs: 30_000,
    idleTimeoutMs: 30_000,
    signal: new AbortController().signal,
    isolation: "process-group",
    sandbox: null,
    onActivity: () => undefined,
    ...changes,
  };
}

/** Claude Code's adapter in front of a fake that speaks its language. */
export function fakeClaude(
  env: Readonly<Record<string, string>>,
  program: string = fakeProgram("agent"),
): Agent {
  return newClaude({
    program,
    env: { ...fakeEnv, ...env, RALPH_FAKE_FORMAT: "claude-stream-json" },
  });
}
