import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Practice, practice, ralphBin } from "../e2e/practice.ts";
import { newToken, running } from "../fakes/fake.ts";
import { backgroundScript } from "./background-script.ts";
import { found, program, waits } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";

const test1 = `import assert from "node:assert/strict";
import { test } from "node:test";
import { double } from "../src/double.mjs";
test("double", () => assert.equal(double(21), 42));
`;
const testBuilt = `import { readFileSync } from "node:fs";
import { test } from "node:test";
test("built", () => void readFileSync("built.txt"));
`;
const bad = "mkdir -p src && echo 'export const double = (n) => n + 2;' > src/double.mjs";
const good = "echo 'export const double = (n) => n * 2;' > src/double.mjs";

/** First a wrong answer; a session that is told of the failed assertion does it right. */
const script: Parameters<typeof startModelServer>[0] = (body) => {
  const prompt = JSON.stringify(body.messages);
  const told = prompt.includes("Previous Attempts") && /23 !== 42|actual: 23|\+ 23/.test(prompt);
  return [{ command: told ? good : bad }, { text: "The function is written.\n\n<task-done>t-1</task-done>" }];
};

interface Setup {
  readonly test?: string;
  readonly permission?: string;
  readonly extraArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A project with one task, worked on by the genuine program that talks to `url`. */
async function project(url: string, setup: Setup = {}): Promise<Practice> {
  const { permission = "edit", extraArgs = [] } = setup;
  const made = practice(
    { "test/double.test.mjs": setup.test ?? test1 },
    {
      ...setup.env,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_MAX_RETRIES: "0",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  );
  made.write(
    ".ralph/config.yaml",
    `verifyBaseline: off\nagent: claude\nagents:\n  claude: { program: ${JSON.stringify(program)}, permission: ${permission}, extraArgs: ${JSON.stringify(extraArgs)}, tiers: [claude-haiku-4-5, claude-sonnet-4-5, claude-opus-4-5] }\nverify: ["node --test"]\n`,
  );
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  await made.ralph("trust", "approve", "--yes");
  await made.addTasks(["Write double(n)"]);
  return made;
}

describe.skipIf(!found)("the genuine Claude Code in the loop", () => {
  test("LOOP-1 AGENT-2: completes a task end to end, after a failure that it is told of", async () => {
    const server = await startModelServer(script);
    const made = await project(server.url);
    try {
      const { code, events, stderr } = await made.run("--max-attempts", "3");
      expect(stderr).toBe("");
      const ends = events.filter(({ type }) => type === "iteration.finished");
      expect(ends.map(({ outcome, verification }) => [outcome, verification])).toEqual([
        ["failed", "failed"],
        ["done", "passed"],
      ]);
      expect(code).toBe(0);
      for (const end of ends) {
        expect(Number(end["costUsd"])).toBeGreaterThan(0);
        expect(Number(end["tokensInput"])).toBeGreaterThan(0);
        expect(Number(end["tokensOutput"])).toBeGreaterThan(0);
        expect(end).toMatchObject({ costSource: "measured", stopReason: "completed", permissionDenials: [] });
      }
      expect(made.commits()[0]).toBe("Write double(n)");
      expect(made.read("src/double.mjs")).toContain("n * 2");
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 0 });
      expect(Number(events.at(-1)?.["costUsd"])).toBeGreaterThan(0);
      const { attempts } = (await made.json("log", "t-1")) as { attempts: Record<string, unknown>[] };
      expect(attempts.map(({ costUsd }) => Number(costUsd) > 0)).toEqual([true, true]);
      expect(attempts[0]).toMatchObject({
        costSource: "measured",
        agentModel: expect.stringContaining("claude-"),
      });
    } finally {
      made.remove();
      await server.close();
    }
  });

  test("LOOP-4 AGENT-2: work in the background is waited for, then judged on the last message", async () => {
    const server = await startModelServer(backgroundScript(waits ? 10 : 3));
    const made = await project(server.url, {
      test: testBuilt,
      permission: "shell",
      env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0" },
      extraArgs: ["--disallowedTools", "ScheduleWakeup"],
    });
    try {
      const { code, events, stderr } = await made.run("--max-attempts", "1");
      expect(stderr).toBe("");
      const { input, output } = server.tokens();
      expect(events.filter(({ type }) => type === "iteration.finished")).toMatchObject([
        { outcome: "done", verification: "passed", tokensInput: input, tokensOutput: output },
      ]);
      expect(code).toBe(0);
      expect(made.read("built.txt")).toBe("built\n");
    } finally {
      made.remove();
      await server.close();
    }
  });

  test("LEARN-2: what the model stores by mcp__ralph__memory_store is in the store after, and in the next prompt", async () => {
    const lesson = "double() must multiply: adding two passes for no number but two.";
    const server = await startModelServer([
      { tool: "mcp__ralph__memory_store", input: { lesson, category: "pitfall", tags: ["double"] } },
      { command: `mkdir -p src && ${good}` },
      { tool: "mcp__ralph__task_done", input: { id: "t-1" } },
      { text: "The function is written." },
    ]);
    const made = await project(server.url);
    try {
      const { code, events, stderr } = await made.run("--once");
      expect(stderr).toBe("");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({
        outcome: "done",
        verification: "passed",
        permissionDenials: [],
        warnings: [],
      });
      expect(code).toBe(0);
      // The end of its verified attempt is kept too.
      const kept = (await made.json("memory", "list")) as readonly { readonly category: string }[];
      expect(kept.filter(({ category }) => category !== "summary")).toMatchObject([
        {
          lesson,
          category: "pitfall",
          provenance: {
            source: "tool",
            task: "t-1",
            agent: "claude",
            model: expect.stringContaining("claude-"),
            iterationId: expect.stringMatching(/^i-/),
          },
        },
      ]);
      await made.ralph("task", "add", "Use double(n), which must multiply", "--id", "t-2");
      expect((await made.ralph("context", "t-2")).stdout).toContain(lesson);
    } finally {
      made.remove();
      await server.close();
    }
  });

  test("AGENT-4: what it was denied is told in event, log, report and next prompt, with a hint", async () => {
    const server = await startModelServer([
      { command: "npm install left-pad" },
      { text: "I could not install it." },
    ]);
    const made = await project(server.url);
    try {
      const { events } = await made.run("--once");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({
        outcome: "no_sigil",
        permissionDenials: ["Bash(npm install left-pad)"],
        hint: expect.stringContaining("agents.claude.permission"),
      });
      expect(end?.["reason"]).toContain("not allowed: Bash(npm install left-pad)");
      const log = (await made.ralph("log", "t-1")).stdout;
      expect(log).toContain("not allowed: Bash(npm install left-pad)");
      expect(log).toContain("hint: allow it with agents.claude.permission");
      const prompt = (await made.ralph("context", "t-1")).stdout;
      expect(prompt).toContain("not allowed: Bash(npm install left-pad)");
    } finally {
      made.remove();
      await server.close();
    }
  });

  test("LOOP-10: Ctrl-C ends it in a tool call, nothing is left, and the task is free again", async () => {
    const token = newToken();
    const server = await startModelServer([{ command: `sleep 60.${token}` }, { text: "never" }]);
    const made = await project(server.url, { permission: "shell" });
    try {
      const child = spawn(process.execPath, [ralphBin, "run"], {
        cwd: made.dir,
        env: made.env,
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
      const strike = setInterval(() => {
        if (running(token) === 0) return;
        clearInterval(strike);
        child.kill("SIGINT");
      }, 50);
      expect(await ended).toBe("SIGINT");
      clearInterval(strike);
      expect(running(token)).toBe(0);
      expect(await made.json("task", "list")).toMatchObject([{ id: "t-1", status: "pending", attempts: 0 }]);
    } finally {
      made.remove();
      await server.close();
    }
  });
});
