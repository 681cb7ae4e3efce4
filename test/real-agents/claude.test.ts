import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent, AgentActivity, AgentRequest } from "../../src/agents/agent.ts";
import { createAgent } from "../../src/agents/agents.ts";
import type { IsolationLevel } from "../../src/agents/isolation.ts";
import { detectIsolation } from "../../src/agents/supervision.ts";
import { fakeEnv, newToken, running } from "../fakes/fake.ts";
import { startModelServer } from "./model-server.mjs";

const program = process.env["RALPH_TEST_CLAUDE"] ?? "claude";
const folder = mkdtempSync(join(tmpdir(), "ralph-claude-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const isolation = await detectIsolation("auto");
const levels = [...new Set<IsolationLevel>(["process-group", isolation])];

/** Claude Code without account, settings or internet, talking to `url`. */
function claude(url: string, permission = "edit"): Agent {
  const home = mkdtempSync(join(folder, "home-"));
  return createAgent("claude", {
    model: "claude-sonnet-4-5",
    tiers: null,
    permission,
    extraArgs: [],
    program,
    argv: null,
    format: "text",
    env: {
      ...fakeEnv,
      LANG: "C.UTF-8",
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_MAX_RETRIES: "0",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
    },
  });
}

function newRequest(changes: Partial<AgentRequest> = {}): AgentRequest {
  const cwd = mkdtempSync(join(folder, "project-"));
  return {
    prompt: "Do task t-1",
    cwd,
    model: "claude-sonnet-4-5",
    taskId: "t-1",
    runId: "r-1",
    iteration: 1,
    attempt: 1,
    marker: `marker-${newToken()}`,
    tmpDir: mkdtempSync(join(folder, "tmp-")),
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
if (!probe.found) {
  process.stderr.write(`skipped: the tests with the genuine Claude Code, as ${program} is not on PATH\n`);
}

describe.skipIf(!probe.found)("the genuine Claude Code", () => {
  test.each(levels)("AGENT-1: works, reports and leaves nothing running, at level %s", async (level) => {
    const token = newToken();
    const words = "All finished.\n<task-done>t-1</task-done>";
    const left = `(setsid sleep 60.${token} >/dev/null 2>&1 &) ; echo "$RALPH_TASK_ID" > out.txt`;
    const server = await startModelServer([{ bash: left }, { text: words }]);
    const heard: AgentActivity[] = [];
    const request = newRequest({ isolation: level, onActivity: (activity) => heard.push(activity) });
    const result = await claude(server.url).run(request);
    await server.close();
    expect(result).toMatchObject({ error: null, exitCode: 0, finalMessage: words, costBasis: "measured" });
    expect(result.survivorsKilled).toBe(1);
    expect(result.tokens).toEqual({ input: 200, output: 40, cacheRead: 100, cacheWrite: 60 });
    expect(result.costUsd).toBeGreaterThan(0);
    expect(readFileSync(join(request.cwd, "out.txt"), "utf8")).toBe("t-1\n");
    expect(heard.map(({ kind }) => kind)).toEqual(["tool", "text"]);
    expect(running(token)).toBe(0);
  });

  test.each([
    ["rate_limit", { status: 429, type: "rate_limit_error", message: "This would exceed your rate limit." }],
    ["auth", { status: 401, type: "authentication_error", message: "invalid x-api-key" }],
    ["overloaded", { status: 529, type: "overloaded_error", message: "Overloaded" }],
    [
      "credit",
      { status: 400, type: "invalid_request_error", message: "Your credit balance is too low to go on." },
    ],
  ])("LOOP-8: %s is told apart, after one call", async (kind, step) => {
    const server = await startModelServer([step]);
    const result = await claude(server.url).run(newRequest());
    await server.close();
    expect(result.error?.kind).toBe(kind);
    expect(result.finalMessage).toBe("");
    expect(server.requests()).toBe(1);
  });

  test("a tool that it may not use is listed", async () => {
    const server = await startModelServer([{ bash: "echo no > out.txt" }, { text: "I may not." }]);
    const request = newRequest();
    const result = await claude(server.url, "ask").run(request);
    await server.close();
    expect(result).toMatchObject({ error: null, permissionDenials: ["Bash"] });
    expect(existsSync(join(request.cwd, "out.txt"))).toBe(false);
  });

  test.each(levels)("LOOP-10: stopped in a tool call, nothing is left, at level %s", async (level) => {
    const token = newToken();
    const server = await startModelServer([{ bash: `sleep 60.${token}` }, { text: "never" }]);
    const stop = new AbortController();
    const watch = setInterval(() => running(token) > 0 && stop.abort(), 50);
    const result = await claude(server.url).run(newRequest({ isolation: level, signal: stop.signal }));
    clearInterval(watch);
    await server.close();
    expect(result.error?.kind).toBe("cancelled");
    expect(running(token)).toBe(0);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "AGENT-4: a bypass that it refuses to root is told with a hint",
    async () => {
      const result = await claude("http://127.0.0.1:9", "full").run(newRequest());
      expect(result.error).toMatchObject({
        kind: "permission",
        hint: expect.stringContaining("IS_SANDBOX=1"),
      });
    },
  );
});
