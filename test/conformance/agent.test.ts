import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agents/agents.ts";
import type { Agent, AgentActivity, AgentRequest, AgentResult } from "../../src/agents/port/agent.ts";
import { detectIsolation } from "../../src/agents/supervision.ts";
import { formatDuration } from "../../src/base/duration.ts";
import { joinSafe, safe } from "../../src/base/safe-text.ts";
import { streamFormats } from "../../src/base/shared-settings.ts";
import { registerSecrets } from "../../src/trust/registered-secrets.ts";
import { canSandbox, strictSandbox } from "../can-sandbox.ts";
import { fakeClaude, newRequestIn } from "../fakes/agent-request.ts";
import { fake, fakeEnv, fakeProgram, newToken, running } from "../fakes/fake.ts";
import { newAcp, newCommand, newKnown, plainSettings, plainSetup } from "../fakes/new-agent.ts";
import { shellAgent } from "../fakes/shell-agent.ts";
import { scaledLimit } from "../scaled-limit.ts";
import { variants } from "../test-size.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Level = Pick<AgentRequest, "isolation" | "sandbox">;
const levels: (readonly [string, Level])[] = [
  ["process-group", { isolation: "process-group", sandbox: null }],
];
if ((await detectIsolation("auto")) === "pid-namespace")
  levels.push(["pid-namespace", { isolation: "pid-namespace", sandbox: null }]);
if (canSandbox) {
  const sandbox = await strictSandbox(folder, [import.meta.dirname, join(import.meta.dirname, "../fakes")]);
  levels.push(["strict", { isolation: "pid-namespace", sandbox }]);
}

type Make = (env: Readonly<Record<string, string>>) => Agent;

const claude = shellAgent(folder, "claude-stream-json");
/** Each adapter in front of a fake that speaks its language. */
const adapters: Readonly<Record<string, Make>> = {
  claude: (env) => fakeClaude(env, claude),
  codex: (env) => newKnown("codex", { program: fakeProgram("codex-server"), env: { ...fakeEnv, ...env } }),
  pi: (env) => newKnown("pi", { program: fakeProgram("pi-rpc"), env: { ...fakeEnv, ...env } }),
  acp: (env) => newAcp({ argv: fake("acp-agent"), env: { ...fakeEnv, ...env } }),
};
for (const format of streamFormats) {
  const program = shellAgent(folder, format);
  (adapters as Record<string, Make>)[`command, ${format}`] = (env) =>
    newCommand({
      format,
      argv: [program],
      env: { ...fakeEnv, ...env, RALPH_FAKE_FORMAT: format },
    });
}

const newRequest = (changes: Partial<AgentRequest> = {}): AgentRequest => newRequestIn(folder, changes);

async function runFake(
  make: Make,
  behaviour: string,
  changes: Partial<AgentRequest> = {},
): Promise<AgentResult> {
  return await make({ RALPH_FAKE: behaviour }).run(newRequest(changes));
}

const commandRunning = (argv: readonly string[]): Agent => newCommand({ argv });

describe.concurrent.each(Object.entries(adapters))("AGENT-1: %s", (name, make) => {
  const isText = name === "command, text";
  const isShell = /^(?:claude|command)/.test(name);
  /** The formats share all but their readers. */
  const isSame = name.startsWith("command, ") && !isText && process.env["RALPH_TEST_VARIANTS"] === undefined;

  test.each(variants(levels, name === "claude" ? 3 : 1))("answers, at level %s", async (_, level) => {
    const result = await runFake(make, "answer", level);
    expect(result).toMatchObject({
      finalMessage: "All finished.\n<task-done>t-1</task-done>",
      error: null,
      exitCode: 0,
      signal: null,
      survivorsKilled: 0,
    });
    // Gemini CLI does not report what it writes to the cache.
    const cacheWrite = name.includes("gemini") ? 0 : 4;
    expect(result.tokens).toEqual(isText ? null : { input: 10, output: 2, cacheRead: 3, cacheWrite });
    expect(result.sessionId).toBe(isText ? null : "s1");
  });

  test.skipIf(isSame)("AGENT-3, IF-1: gets the prompt by stdin, the iteration by environment", async () => {
    const record = join(folder, `record-${newToken()}.json`);
    const line = safe`é\u2028😀\n`;
    const prompt = safe`-- ${joinSafe(Array<typeof line>(20_000).fill(line), "")}`;
    const journal = {
      path: "/state/journals/default-learnings.md",
      folder: "/state/journals",
      change: "default",
    };
    const request = newRequest({ prompt, journal });
    const agent = make({ RALPH_FAKE: "answer", RALPH_FAKE_RECORD: record });
    const result = await agent.run(request);
    const given = JSON.parse(readFileSync(record, "utf8"));
    expect(result.error).toBeNull();
    expect(given.stdin).toBe(prompt);
    expect(JSON.stringify([given.argv, agent.command(request).argv])).not.toContain("é");
    expect(given.cwd).toBe(folder);
    expect(given.env).toMatchObject({
      RALPH_TASK_ID: "t-1",
      RALPH_RUN_ID: "r-1",
      RALPH_ITERATION: "7",
      RALPH_ATTEMPT: "2",
      RALPH_MODEL: "m",
      RALPH_JOURNAL: journal.path,
      RALPH_MARKER: request.marker,
      TMPDIR: request.tmpDir,
    });
    if (name.startsWith("command")) {
      expect(readFileSync(given.env.RALPH_PROMPT_FILE, "utf8")).toBe(prompt);
      expect(statSync(given.env.RALPH_PROMPT_FILE).mode & 0o777).toBe(0o600);
    }
  });

  test.skipIf(isSame)("an answer with any other exit code is not a success", async () => {
    for (const code of variants(isShell ? [255, 1, 2, 126] : [255, 2], 2)) {
      const result = await runFake(make, `exit ${code}`);
      expect(result).toMatchObject({ exitCode: code, error: { kind: "crash" } });
      expect(result.error?.message).toContain(`exit code ${code}`);
    }
  });

  test.skipIf(isSame).each(variants(levels.slice(0, 2), name === "claude" ? 2 : 1))(
    "a death by signal is distinguished, at level %s",
    async (_, level) => {
      const isWhole = level.isolation === "process-group";
      for (const signal of isWhole ? ["SIGTERM", "SIGKILL", "SIGSEGV"] : ["SIGKILL"]) {
        const result = await runFake(make, `die ${signal}`, level);
        expect(result).toMatchObject({ exitCode: null, signal, error: { kind: "killed" } });
      }
    },
  );

  test("exit code 0 without a result is not a success", async () => {
    const result = await runFake(make, "silent");
    expect(result).toMatchObject({ exitCode: 0, finalMessage: "", error: { kind: "bad_output" } });
  });

  test.skipIf(isSame)("silence ends by the idle deadline, chatter by the total one", async () => {
    const second = scaledLimit(1000);
    const [silence, chatter] = await Promise.all([
      runFake(make, "hang", { idleTimeoutMs: second }),
      runFake(make, "chatter", { idleTimeoutMs: 2.5 * second, timeoutMs: 3.5 * second }),
    ]);
    expect(silence).toMatchObject({ error: { kind: "idle" }, survivorsKilled: 0 });
    expect(chatter).toMatchObject({ error: { kind: "timeout" }, survivorsKilled: 0 });
  });

  test.skipIf(isSame)("LOOP-10: a stop by a person is neither success nor failure", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 400);
    const result = await runFake(make, "hang", { signal: stop.signal });
    expect(result.error?.kind).toBe("cancelled");
    expect(result.durationMs).toBeLessThan(scaledLimit(10_000));
  });

  test.skipIf(name !== "claude")("a hang after the result keeps the result", async () => {
    const result = await runFake(make, "hang-after-result");
    expect(result).toMatchObject({ error: null, finalMessage: "All finished.\n<task-done>t-1</task-done>" });
    expect(result.durationMs).toBeGreaterThan(4000);
  });

  test.skipIf(isSame || !name.includes("claude"))(
    "AGENT-2: a result that background work follows neither ends the session nor makes its silence a fault",
    async () => {
      const result = await runFake(make, "pause 6500", { idleTimeoutMs: Math.min(6000, scaledLimit(2000)) });
      expect(result).toMatchObject({
        error: null,
        finalMessage: "All finished.\n<task-done>t-1</task-done>",
        tokens: { input: 20, output: 4 },
        costUsd: 1,
      });
    },
  );

  test.skipIf(isSame || !name.includes("claude"))(
    "LOOP-7: background work is bounded by the task's time limit",
    async () => {
      const timeoutMs = Math.min(30_000, scaledLimit(5500));
      const result = await runFake(make, "pause 60000", { idleTimeoutMs: timeoutMs / 2, timeoutMs });
      const waited = `was stopped after ${formatDuration(timeoutMs)} while it waited for background work`;
      expect(result.error).toMatchObject({ kind: "timeout", message: expect.stringContaining(waited) });
      expect(result.durationMs).toBeLessThan(timeoutMs + scaledLimit(4500));
    },
  );

  test.skipIf(isText)("an error that the stream reports is the error", async () => {
    const result = await runFake(make, "fail");
    expect(result).toMatchObject({ exitCode: 1, finalMessage: "", error: { kind: "overloaded" } });
  });
});

describe.concurrent("any adapter", () => {
  test("a program that is missing is reported as missing", async () => {
    const agent = commandRunning(["no-such-agent"]);
    expect((await agent.run(newRequest())).error).toMatchObject({ kind: "not_found" });
    const missing = { kind: "not_found", message: "no-such-agent was not found, or is not executable" };
    expect(agent.missing("/")).toMatchObject(missing);
    // The verification before the first attempt may install it: `npm ci`.
    for (const there of [process.execPath, "node_modules/.bin/no-such-agent"])
      expect(commandRunning([there]).missing("/")).toBeNull();
    expect(commandRunning(["/no-such-folder/agent"]).missing("/")).toMatchObject({ kind: "not_found" });
    expect(await agent.probe()).toMatchObject({ found: false, program: "no-such-agent" });
  });

  test.each(levels)(
    "LOOP-10: what it leaves running is killed before run returns, at level %s",
    async (_, level) => {
      for (const way of ["setsid", "double-fork", "env-i-setsid"]) {
        const token = newToken();
        const result = await commandRunning(fake("leave-behind", way, token)).run(newRequest(level));
        expect(result).toMatchObject({ error: null, survivorsKilled: 1 });
        expect(running(token)).toBe(0);
      }
    },
  );

  test("a flood leaves the end as final message, and a log of at most 20 MiB", async () => {
    const request = newRequest();
    const result = await commandRunning(fake("flood", "22")).run(request);
    expect(result.error).toBeNull();
    expect(result.finalMessage.length).toBeLessThan(1.1 * 1024 * 1024);
    expect(result.finalMessage).toMatch(/end of the flood\n$/);
    const log = readFileSync(request.logFile, "utf8");
    expect(log.length).toBeLessThan(20.1 * 1024 * 1024);
    expect(log).toMatch(/left out\][\s\S]*end of the flood\n+$/);
  });

  test("a line of 10 MB is cut in the log and read to its end", async () => {
    const request = newRequest();
    const result = await commandRunning(fake("long-line", "10")).run(request);
    expect(result.finalMessage).toMatch(/end of the line\n$/);
    expect(readFileSync(request.logFile, "utf8")).toContain("truncated, 10485760 bytes in all");
  });

  test("bytes that are no UTF-8 and half a sigil are text like any other", async () => {
    const bad = await commandRunning(fake("bad-utf8")).run(newRequest());
    const half = await commandRunning(fake("half-sigil")).run(newRequest());
    expect(bad).toMatchObject({ error: null, exitCode: 0 });
    expect(bad.finalMessage).toContain("fine again \u2028 same line");
    expect(half).toMatchObject({ error: null, finalMessage: "All finished.\n<task-do" });
  });

  test("AGENT-5: log, final message and activity carry no secret, whole or in pieces", async () => {
    const secret = `s3cret-${newToken()}-value`;
    registerSecrets([secret]);
    const heard: AgentActivity[] = [];
    const half = secret.length >> 1;
    const script = `process.stdout.write("before ${secret.slice(0, half)}");
      setTimeout(() => process.stdout.write("${secret.slice(half)} after\\n"), 100);
      process.stderr.write("also ${secret}\\n");`;
    const request = newRequest({ onActivity: (activity) => heard.push(activity) });
    const result = await commandRunning([process.execPath, "-e", script]).run(request);
    const log = readFileSync(request.logFile, "utf8");
    expect(log).toContain("before ");
    expect(log).toContain("stderr: also ");
    expect(result.finalMessage).toMatch(/^before .* after\n$/);
    expect(JSON.stringify([log, result, heard])).not.toContain(secret);
    expect(statSync(request.logFile).mode & 0o777).toBe(0o600);
  });

  test("stderr that nobody else explains is the crash's message", async () => {
    const script = 'console.error("cannot open config.toml"); process.exit(3)';
    const result = await commandRunning([process.execPath, "-e", script]).run(newRequest());
    expect(result.error).toMatchObject({ kind: "crash", message: expect.stringContaining("cannot open") });
    expect(result.stderrTail).toContain("cannot open config.toml");
  });
});

test("an unknown agent is refused with the one that was probably meant", () => {
  expect(() => createAgent("cluade", plainSettings, plainSetup)).toThrow(
    expect.objectContaining({ code: "RALPH_AGENT_UNKNOWN", hint: 'did you mean "claude"?' }),
  );
  expect(() => createAgent("goose", plainSettings, plainSetup)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('agents.acp.argv: ["goose","acp"]') }),
  );
  expect(() => createAgent("constructor", plainSettings, plainSetup)).toThrow('unknown agent "constructor"');
  expect(() => createAgent("nope", plainSettings, plainSetup)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/claude, .*`ralph init --agent` .*goose, qwen/) }),
  );
  expect(() => newCommand({})).toThrow(expect.objectContaining({ code: "RALPH_AGENT_ARGV" }));
});

test("a log that would be written through a link is refused, and the agent not started", async () => {
  const record = join(folder, "never.json");
  const request = newRequest({ logFile: join(folder, "link.log") });
  symlinkSync(join(folder, "elsewhere"), request.logFile);
  const agent = adapters["command, text"]?.({ RALPH_FAKE: "answer", RALPH_FAKE_RECORD: record });
  await expect(agent?.run(request)).rejects.toMatchObject({ code: "RALPH_FILE_WRITE" });
  expect([record, join(folder, "elsewhere")].filter((file) => existsSync(file))).toEqual([]);
});
