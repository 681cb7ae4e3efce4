import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentActivity } from "../../src/agents/port/agent.ts";
import { safe } from "../../src/base/safe-text.ts";
import { type Permission, permissions } from "../../src/base/shared-settings.ts";
import { newToken, running } from "../fakes/fake.ts";
import { claude, found, levels, newRequest, noRetries, waits } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";
import type { Body } from "./model-server/step.ts";

/** The least that an MCP server can be, with one tool called after it. */
const namedServer = `
import { createInterface } from "node:readline";
const tools = [{ name: "of_" + process.argv[2], description: "nothing", inputSchema: { type: "object" } }];
const answers = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: "yes" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }) + "\\n");
});
`;

describe.skipIf(!found)("the genuine Claude Code", () => {
  test.each(levels)(
    "AGENT-1 AGENT-2: works, reports and leaves nothing running, at level %s",
    async (level) => {
      const token = newToken();
      const words = "All finished.\n<task-done>t-1</task-done>";
      const left = `(setsid sleep 60.${token} >/dev/null 2>&1 &) ; echo "$RALPH_TASK_ID" > out.txt`;
      const server = await startModelServer([{ command: left }, { text: words }]);
      const heard: AgentActivity[] = [];
      const request = newRequest({ isolation: level, onActivity: (activity) => heard.push(activity) });
      const result = await claude(server.url, { permission: "shell" }).run(request);
      await server.close();
      expect(result).toMatchObject({ error: null, exitCode: 0, finalMessage: words, costSource: "measured" });
      expect(result.survivorsKilled).toBe(1);
      expect(result.tokens).toEqual({ input: 200, output: 40, cacheRead: 100, cacheWrite: 60 });
      expect(result.costUsd).toBeGreaterThan(0);
      expect(result).toMatchObject({
        model: "claude-sonnet-4-5",
        stopReason: "completed",
        permissionDenials: [],
      });
      expect(result.sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(readFileSync(join(request.cwd, "out.txt"), "utf8")).toBe("t-1\n");
      expect(heard.map(({ kind }) => kind)).toEqual(["tool", "text"]);
      expect(running(token)).toBe(0);
    },
  );

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
    const result = await claude(server.url, noRetries).run(newRequest());
    await server.close();
    expect(result.error?.kind).toBe(kind);
    expect(result.finalMessage).toBe("");
    expect(server.requests()).toBe(1);
  });

  test("LOOP-8: where the server asks for a long wait it gives up at once, and the wait is ralph's", async () => {
    const [status, type, message] = [429, "rate_limit_error", "This would exceed your rate limit."];
    const server = await startModelServer([{ status, type, message, headers: { "retry-after": "3600" } }]);
    const result = await claude(server.url).run(newRequest());
    await server.close();
    expect(result.error?.kind).toBe("rate_limit");
    expect(server.requests()).toBe(1);
  });

  test.each(levels)("a model that falls silent ends by the idle deadline, at level %s", async (isolation) => {
    const server = await startModelServer([{ hang: true, text: "never" }]);
    const result = await claude(server.url).run(newRequest({ isolation, idleTimeoutMs: 3000 }));
    await server.close();
    expect(result).toMatchObject({ error: { kind: "idle" }, survivorsKilled: 0 });
  });

  test("AGENT-4: a file may be written, a command not; what was denied is told", async () => {
    const server = await startModelServer([
      { command: "echo yes > out.txt" },
      { command: "npm install left-pad" },
      { text: "I may not." },
    ]);
    const request = newRequest();
    const result = await claude(server.url).run(request);
    await server.close();
    expect(result.error).toBeNull();
    expect(result.permissionDenials).toEqual(["Bash(npm install left-pad)"]);
    expect(readdirSync(request.cwd)).toEqual(["out.txt"]);
  });

  test("AGENT-4: the commands that judge the work it may run, with arguments, and no others", async () => {
    const run = (name: string, how = "") => ({ command: `node ${name}.mjs${how}` });
    const server = await startModelServer([
      run("check"),
      run("check", " --deep 2>&1 | tail -5"),
      { command: "cd . && CI=1 node check.mjs" },
      run("lint", " && node types.mjs"),
      run("types"),
      run("checker"),
      { text: "Done." },
    ]);
    const request = newRequest({ allowedCommands: ["node check.mjs", "node lint.mjs && node types.mjs"] });
    const script =
      'import { appendFileSync as add } from "node:fs";\nadd("ran.txt", process.argv.slice(1).join(" ").replace(/.*\\//, "") + "\\n");\n';
    for (const name of ["check", "lint", "types", "checker"])
      writeFileSync(join(request.cwd, `${name}.mjs`), script);
    const result = await claude(server.url).run(request);
    await server.close();
    expect(result.permissionDenials).toEqual(["Bash(node checker.mjs)"]);
    const ran = readFileSync(join(request.cwd, "ran.txt"), "utf8").trim().split("\n");
    expect(ran).toEqual(["check.mjs", "check.mjs --deep", "check.mjs", "lint.mjs", "types.mjs", "types.mjs"]);
  });

  test("AGENT-4: plan and edit run no other command, bypass any; a user's own rules are added", async () => {
    const steps = [{ command: "node -p 1 > out.txt" }, { text: "Done." }];
    const session = async (setup: Parameters<typeof claude>[1]) => {
      const server = await startModelServer(steps);
      const request = newRequest({ allowedCommands: ["npm test"] });
      const { permissionDenials } = await claude(server.url, setup).run(request);
      await server.close();
      return [existsSync(join(request.cwd, "out.txt")), permissionDenials.length];
    };
    expect(await session({ permission: "plan" })).toEqual([false, 1]);
    expect(await session({ permission: "edit" })).toEqual([false, 1]);
    expect(await session({ extraArgs: ["--allowedTools", "Bash(node -p:*)"] })).toEqual([true, 0]);
    expect(await session({ permission: "bypass", env: { IS_SANDBOX: "1" } })).toEqual([true, 0]);
  });

  test("LEARN-4 SKILL-2: an agent that only answers has no tools at all", async () => {
    const bodies: Body[] = [];
    const server = await startModelServer((body) => {
      bodies.push(body);
      return [{ text: "An answer." }];
    });
    const tools = ["ralph-mcp-that-is-not-started"] as const;
    const { error } = await claude(server.url, { readOnly: true, tools }).run(newRequest());
    await server.close();
    expect(error).toBeNull();
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.flatMap((body) => body["tools"] ?? [])).toEqual([]);
  });

  test("AGENT-4: scratch files are the iteration's own, in the project or outside it", async () => {
    const request = newRequest();
    const server = await startModelServer([
      { command: `echo x > ${request.tmpDir}/note.txt` },
      { text: "Done." },
    ]);
    const result = await claude(server.url, { env: { CLAUDE_CODE_TMPDIR: "/nonexistent" } }).run(request);
    await server.close();
    expect(result).toMatchObject({ error: null, permissionDenials: [] });
    expect(readdirSync(request.tmpDir)).toContain("note.txt");
    expect(readdirSync(request.tmpDir).some((name) => name.startsWith("claude"))).toBe(true);
  });

  test("ralph's tools stand beside the user's own servers, and one of the same name gives way", async () => {
    const request = newRequest();
    const file = join(request.cwd, "server.mjs");
    writeFileSync(file, namedServer);
    const serverOf = (name: string) => [process.execPath, file, name] as const;
    const config = (name: string) => ({ type: "stdio", command: process.execPath, args: [file, name] });
    const folder = join(request.cwd, "config");
    mkdirSync(folder);
    const mcpServers = { ralph: config("older"), theirs: config("theirs") };
    writeFileSync(join(folder, ".claude.json"), JSON.stringify({ mcpServers }));
    const session = async (tools: readonly [string, ...string[]] | null, permission: Permission) => {
      const names = new Set<string>();
      const server = await startModelServer((body) => {
        for (const { name } of body.tools ?? []) if (name.startsWith("mcp__")) names.add(name);
        return [{ tool: "mcp__ralph__of_ours", input: {} }, { text: "Done." }];
      });
      // Newer versions hide the user's tools behind a search.
      const env = { CLAUDE_CONFIG_DIR: folder, ENABLE_TOOL_SEARCH: "false" };
      const result = await claude(server.url, { tools, permission, env }).run(request);
      await server.close();
      expect(result.error).toBeNull();
      return { names: [...names].toSorted(), denied: result.permissionDenials };
    };
    const both = ["mcp__ralph__of_ours", "mcp__theirs__of_theirs"];
    // In plan mode newer versions deny the tool, although ralph allows it.
    for (const permission of permissions.filter((one) => one !== "bypass")) {
      const denied = permission === "plan" && waits ? ["mcp__ralph__of_ours"] : [];
      expect(await session(serverOf("ours"), permission)).toEqual({ names: both, denied });
    }
    expect((await session(null, "edit")).names).toEqual(["mcp__ralph__of_older", "mcp__theirs__of_theirs"]);
    expect((await session(["/nonexistent"], "edit")).names).toEqual(["mcp__theirs__of_theirs"]);
  });

  test.each(levels)("LOOP-10: stopped in a tool call, nothing is left, at level %s", async (level) => {
    const token = newToken();
    const server = await startModelServer([{ command: `sleep 60.${token}` }, { text: "never" }]);
    const stop = new AbortController();
    const watch = setInterval(() => running(token) > 0 && stop.abort(), 50);
    const request = newRequest({ isolation: level, signal: stop.signal });
    const result = await claude(server.url, { permission: "shell" }).run(request);
    clearInterval(watch);
    await server.close();
    expect(result.error?.kind).toBe("cancelled");
    expect(running(token)).toBe(0);
  });

  test("AGENT-3: the prompt goes by stdin, whatever it begins with", async () => {
    let heard = "";
    const server = await startModelServer((body) => {
      heard = JSON.stringify(body.messages);
      return [{ text: "Done." }];
    });
    const result = await claude(server.url).run(newRequest({ prompt: safe`--help me -- é\u2028` }));
    await server.close();
    expect(result.error).toBeNull();
    expect(heard).toContain("--help me -- é\u2028");
  });

  test("a flag that it does not know ends the session as unusable, with a hint", async () => {
    const result = await claude("http://127.0.0.1:9", { extraArgs: ["--no-such-flag"] }).run(newRequest());
    expect(result.error).toMatchObject({ kind: "unusable", hint: expect.stringContaining("extraArgs") });
    expect(result.error?.message).toContain("--no-such-flag");
  });

  test("AGENT-2: without a login it says so: before a run to the doctor, in a run with its login command", async () => {
    const server = await startModelServer([{ text: "never" }]);
    const agent = claude(server.url, { env: { ANTHROPIC_API_KEY: "" } });
    expect(await agent.probe()).toMatchObject({ found: true, problem: { detail: "not logged in" } });
    const result = await agent.run(newRequest());
    await server.close();
    expect(result.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("claude /login") });
    expect(server.requests()).toBe(0);
    expect(await claude(server.url).probe()).not.toHaveProperty("problem");
  });
});
