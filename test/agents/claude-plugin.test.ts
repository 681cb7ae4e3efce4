import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { found, program } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";
import type { Body } from "./model-server/step.ts";

type Script = Exclude<Parameters<typeof startModelServer>[0], (body: Body) => unknown>;

const lesson = "Leap days fail unless the parser reads dates in UTC.";

interface Setup {
  readonly script: Script | ((body: Body) => Script);
  readonly config?: string;
  readonly connect?: readonly string[];
}

interface Connected {
  readonly made: Practice;
  /** The bodies of all requests that offered tools. */
  readonly bodies: readonly Body[];
  /** Runs a session that a person starts, with one prompt. */
  session(prompt: string): Promise<string>;
}

/** A project with a lesson, and a genuine Claude Code with ralph's plugin in its configuration folder. */
async function connected({ script, config = "", connect = [] }: Setup): Promise<Connected> {
  const bodies: Body[] = [];
  const server = await startModelServer((body) => {
    if (body.tools?.length) bodies.push(body);
    return typeof script === "function" ? script(body) : script;
  });
  const check = `import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
assert.equal(readFileSync("answer.txt", "utf8").trim(), "42");
`;
  const made = practice(
    { "check.mjs": check, "answer.txt": "42\n" },
    {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_MAX_RETRIES: "0",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Newer versions hide servers' tools behind a search, which a test cannot count.
      ENABLE_TOOL_SEARCH: "false",
    },
  );
  onTestFinished(async () => {
    made.remove();
    await server.close();
  });
  made.write(
    ".ralph/config.yaml",
    `verifyBaseline: off\nagent: claude\nagents:\n  claude: { program: ${JSON.stringify(program)}, permission: shell }\n${config}`,
  );
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  await made.addTasks(["Write the answer"]);
  await made.ralph("memory", "store", lesson, "--tags", "parser,dates");
  const { code, stderr } = await made.ralph("connect", "claude", "--yes", ...connect);
  if (code !== 0) throw new Error(stderr);
  const session = async (prompt: string): Promise<string> => {
    const words = ["-p", "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"];
    const child = spawn(program, [...words, "--allowedTools", "Bash"], { cwd: made.dir, env: made.env });
    child.stdin.end(prompt);
    return await text(child.stdout);
  };
  return { made, bodies, session };
}

const messagesOf = (body: Body | undefined): string => JSON.stringify(body?.messages);
const toolsOf = (body: Body | undefined): readonly string[] => (body?.tools ?? []).map(({ name }) => name);

describe.skipIf(!found)("the genuine Claude Code with ralph's plugin", () => {
  test("AGENT-8: a fitting memory is in the first request, with ralph's tools", async () => {
    const { made, bodies, session } = await connected({ script: [{ text: "Done." }] });
    await made.ralph("memory", "store", "The billing service needs port 5433.", "--tags", "billing");
    expect(await session("Why do leap days fail in the date parser?")).toBe("Done.\n");
    expect(bodies).toHaveLength(1);
    expect(messagesOf(bodies[0])).toContain(lesson);
    expect(messagesOf(bodies[0])).toContain("2 learnings, 1 open task.");
    expect(toolsOf(bodies[0]).filter((name) => name.endsWith("memory_search"))).toEqual([
      "mcp__plugin_ralph_ralph__memory_search",
    ]);
  });

  test("AGENT-8: a failed verification becomes another turn, with the error, until it passes", async () => {
    const { made, bodies, session } = await connected({
      config: 'verify: ["node check.mjs"]\n',
      connect: ["--verify"],
      script: (body) => {
        const failed = messagesOf(body).includes("verification failed");
        const write = (answer: string) => ({ command: `echo ${answer} > answer.txt` });
        return failed
          ? [write("23"), write("42"), { text: "Now it is right." }]
          : [write("23"), { text: "It is written." }];
      },
    });
    await made.approveConfig();
    expect(await session("Write the answer into answer.txt")).toBe("Now it is right.\n");
    expect(made.read("answer.txt")).toBe("42\n");
    const returned = bodies.find((body) => messagesOf(body).includes("verification failed"));
    expect(messagesOf(returned)).toContain("`node check.mjs`: exit code 1");
    expect(messagesOf(returned)).toMatch(/'23'|\+ 23|actual: '23'/);
    expect(bodies).toHaveLength(4);
  });

  test("AGENT-8 TRUST-5: without approval nothing is executed, and a turn without a change is not verified", async () => {
    const verify = { config: 'verify: ["touch ../ran"]\n', connect: ["--verify"] };
    const changed = await connected({
      ...verify,
      script: [{ command: "echo 23 > answer.txt" }, { text: "Done." }],
    });
    expect(await changed.session("Write 23")).toBe("Done.\n");
    expect(changed.bodies).toHaveLength(2);
    expect(() => changed.made.read("../ran")).toThrow("ENOENT");
    const asked = await connected({ ...verify, script: [{ text: "It is 42." }] });
    await asked.made.approveConfig();
    expect(await asked.session("What is the answer?")).toBe("It is 42.\n");
    expect(() => asked.made.read("../ran")).toThrow("ENOENT");
  });

  test("AGENT-8: in an iteration the plugin is silent: the tools are there once, and the memory in the prompt alone", async () => {
    const { made, bodies } = await connected({
      config: 'verify: ["node check.mjs"]\n',
      connect: ["--verify"],
      script: [{ command: "echo more > other.txt" }, { text: "Done.\n<task-done>t-2</task-done>" }],
    });
    await made.approveConfig();
    await made.ralph("task", "done", "t-1");
    await made.ralph("task", "add", "Parse leap days in dates", "--id", "t-2");
    const { code, events, stderr } = await made.run("--once");
    expect([code, stderr]).toEqual([0, ""]);
    expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({ outcome: "done" });
    expect(toolsOf(bodies[0]).filter((name) => name.endsWith("memory_search"))).toEqual([
      "mcp__ralph__memory_search",
    ]);
    expect(messagesOf(bodies[0]).split(lesson)).toHaveLength(2);
    expect(messagesOf(bodies.at(-1))).not.toContain("verification failed");
  });

  test("AGENT-8: after ralph disconnect nothing of it is loaded", async () => {
    const { made, bodies, session } = await connected({ script: [{ text: "Done." }] });
    expect((await made.ralph("disconnect", "claude", "--yes")).code).toBe(0);
    await session("Why do leap days fail in the date parser?");
    expect(messagesOf(bodies[0])).not.toContain(lesson);
    expect(toolsOf(bodies[0]).filter((name) => name.includes("ralph"))).toEqual([]);
  });
});
