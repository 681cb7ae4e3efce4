import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, verify } from "./practice.ts";

const agent = resolve(import.meta.dirname, "../fakes/acp-agent.mjs");

let project: Practice | undefined;
afterEach(() => project?.remove());

interface AcpProject {
  readonly steps: readonly unknown[];
  readonly permission?: string;
}

async function acpProject({ steps, permission = "edit" }: AcpProject): Promise<Practice> {
  project = practice({ "check.sh": "test ! -e broken\n" });
  project.write("../home/script.json", JSON.stringify({ steps, record: "../home/messages.jsonl" }));
  const argv = JSON.stringify([process.execPath, agent, "../home/script.json"]);
  const settings = `agents: { acp: { argv: ${argv}, permission: ${permission} } }`;
  project.write(".ralph/config.yaml", `agent: acp\n${verify}${settings}\n`);
  await project.approveConfig();
  await project.addTasks(["Write a greeting"]);
  return project;
}

test("AGENT-1 AGENT-6: `ralph run --once` completes a task with an agent that speaks ACP, and passes it its tools", async () => {
  const made = await acpProject({
    steps: [
      { write: { "greeting.txt": "hello\n" } },
      { say: "Wrote it.\n<task-done>t-1</task-done>" },
      {
        update: {
          sessionUpdate: "usage_update",
          used: 9,
          size: 100,
          cost: { amount: 0.25, currency: "USD" },
        },
      },
      { end: { stopReason: "end_turn" } },
    ],
  });
  const { code, events, stderr } = await made.run("--once");
  expect([code, stderr]).toEqual([0, ""]);
  expect(finished(events)).toMatchObject([{ taskId: "t-1", outcome: "done" }]);
  expect(made.commits()).toHaveLength(2);
  const messages = made.read("../home/messages.jsonl");
  expect(messages).toContain('"mcp","--agent","acp"');
  expect(messages).toContain("Write a greeting");
});

test("AGENT-4: the record of a failed attempt names what the agent was not allowed, and how to allow it", async () => {
  const tool = { toolCallId: "c1", title: "npm install", kind: "execute" };
  const made = await acpProject({ steps: [{ ask: tool }, { end: { stopReason: "end_turn" } }] });
  const { stdout } = await made.ralph("run", "--once");
  expect(stdout).toContain("execute(npm install)");
  expect(stdout).toContain("agents.acp.permission");
});

test("LOOP-8: a limit of the agent burns no attempt", async () => {
  const error = { code: 429, message: "You have exhausted your daily quota. Please retry in 2h." };
  const made = await acpProject({ steps: [{ error }] });
  const { stdout } = await made.ralph("run", "--once", "--max-duration", "2s");
  expect(stdout).toContain("limit");
  expect(await made.json("task", "show", "t-1")).toMatchObject({ status: "pending" });
});

test("TRUST-1: the log shows a message that arrives in pieces as one line, so that a secret in it is redacted", async () => {
  // Put together at run time, lest scanners take this file for a leak.
  const token = ["ghp", "88aQ7Rw2Zk9Xv4Tn8Lp3Bs6Yd1Hf5Gj0McUe"].join("_");
  const chunk = (text: string): object => ({
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });
  const pieces = `The token is ${token} and done\n<task-done>t-1</task-done>`.match(/[\s\S]{1,6}/g) ?? [];
  const end = { end: { stopReason: "end_turn" } };
  const made = await acpProject({
    steps: [{ write: { "a.txt": "x" } }, ...pieces.map(chunk), end],
  });
  const { code, events } = await made.run("--once");
  expect([code, finished(events)]).toMatchObject([0, [{ taskId: "t-1", outcome: "done" }]]);
  const logs = join(made.dir, ".ralph/logs");
  const texts = readdirSync(logs, { recursive: true, encoding: "utf8" })
    .map((file) => join(logs, file))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));
  expect(texts.join("\n")).toContain("The token is [redacted:github] and done");
  expect(texts.filter((text) => text.includes(token.slice(4, 9)))).toEqual([]);
});
