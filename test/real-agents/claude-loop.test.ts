import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { practice } from "../e2e/practice.ts";
import { startModelServer } from "./model-server.mjs";

const program = process.env["RALPH_TEST_CLAUDE"] ?? "claude";
const found = spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
if (!found) process.stderr.write(`skipped: whole loop with Claude Code (no ${program} on PATH)\n`);

const test1 = `import assert from "node:assert/strict";
import { test } from "node:test";
import { double } from "../src/double.mjs";
test("double", () => assert.equal(double(21), 42));
`;
const bad = "mkdir -p src && echo 'export const double = (n) => n + 2;' > src/double.mjs";
const good = "echo 'export const double = (n) => n * 2;' > src/double.mjs";

/** First a wrong answer; a session that is told of the failed assertion does it right. */
const script: Parameters<typeof startModelServer>[0] = (body) => {
  const prompt = JSON.stringify(body.messages);
  const told = prompt.includes("Previous Attempts") && /23 !== 42|actual: 23|\+ 23/.test(prompt);
  return [{ bash: told ? good : bad }, { text: "The function is written.\n\n<task-done>t-1</task-done>" }];
};

describe.skipIf(!found)("the genuine Claude Code", () => {
  test("LOOP-1 AGENT-2: completes a task end to end, after a failure that it is told of", async () => {
    const server = await startModelServer(script);
    const project = practice(
      { "test/double.test.mjs": test1 },
      {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "dummy",
        CLAUDE_CODE_MAX_RETRIES: "0",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    );
    try {
      project.write(
        ".ralph/config.yaml",
        `agent: claude\nagents:\n  claude: { program: ${JSON.stringify(program)}, tiers: [claude-haiku-4-5, claude-sonnet-4-5, claude-opus-4-5] }\nverify: ["node --test"]\n`,
      );
      project.git("add", "-A");
      project.git("commit", "-q", "-m", "configure ralph");
      await project.ralph("trust", "approve", "--yes");
      await project.ralph("task", "add", "Write double(n)", "--id", "t-1");
      const { code, events, stderr } = await project.run("--max-attempts", "3");
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
      }
      expect(project.commits()[0]).toBe("Write double(n) (t-1)");
      expect(project.read("src/double.mjs")).toContain("n * 2");
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 0 });
      expect(Number(events.at(-1)?.["costUsd"])).toBeGreaterThan(0);
      const attempts = (await project.json("log", "t-1")) as { attempts: Record<string, unknown>[] };
      expect(attempts.attempts.map(({ costUsd }) => Number(costUsd) > 0)).toEqual([true, true]);
    } finally {
      project.remove();
      await server.close();
    }
  });
});
