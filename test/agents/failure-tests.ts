import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { type Practice, type RunEvent, ralphStart } from "../e2e/practice.ts";
import { failures } from "./failures.ts";
import type { GenuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

const hourMs = 3_600_000;
const write = { command: "echo hi > out.txt" };
const done = { text: "Written.\n\n<task-done>t-1</task-done>" };

interface Traits {
  /** It passes on when a limit ends. */
  readonly statesReset?: boolean;
  /** It asks before a command, or refuses it, at the permission `edit`. */
  readonly asks?: boolean;
}

/** How each genuine program fails, and what a person is shown. */
export function testFailures(agent: GenuineAgent, { statesReset = true, asks = true }: Traits = {}): void {
  const { key, limit, broken, contextFull } = failures[agent.name];
  describe.skipIf(!agent.found)(`the genuine ${agent.name} in trouble`, { timeout: 120_000 }, () => {
    test("AGENT-2 LOOP-14: a refused key ends the run with the agent's login command", async () => {
      const { made } = await genuineProject(agent, { script: [key] });
      const { code, events } = await made.run("--once");
      expectInterruption(events, "auth");
      expect(events.at(-1)).toMatchObject({ reason: "auth", exitCode: 5 });
      expect(events.at(-1)?.["hint"]).toMatch(new RegExp(`log in .*\\b${agent.name}\\b`, "i"));
      expect([code, await attemptsOf(made)]).toEqual([5, 0]);
    });

    test("LOOP-8 AGENT-7: a usage limit is reported within 60 s, with its reset, and burns no attempt", async () => {
      const resetsAt = new Date(Date.now() + hourMs);
      const { made } = await genuineProject(agent, { script: [limit(resetsAt)] });
      const events = await untilInterrupted(made);
      const { resetAt } = expectInterruption(events, "rate_limit");
      if (statesReset) expect(Math.abs(Date.parse(`${resetAt}`) - resetsAt.getTime())).toBeLessThan(120_000);
      expect(await attemptsOf(made)).toBe(0);
    });

    test("LOOP-8 AGENT-7: a rate limit without a reset is reported within 60 s, and burns no attempt", async () => {
      const message = "Rate limit reached for requests";
      const { made } = await genuineProject(agent, {
        script: [{ status: 429, type: "rate_limit_exceeded", message }],
      });
      expectInterruption(await untilInterrupted(made), "rate_limit");
      expect(await attemptsOf(made)).toBe(0);
    });

    test("LOOP-8: a 500 and a cut stream before the success are overcome, by the agent or by ralph", async () => {
      const script = [{ ...broken, times: 1 }, write, { ...done, cut: true, times: 1 }, done];
      const { made } = await genuineProject(agent, { script });
      const { code, events } = await made.run("--once");
      const [end] = events.filter(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({ outcome: "done", attempt: 1 });
      expect([code, await attemptsOf(made)]).toEqual([0, 1]);
    });

    test("LOOP-8: a stream that is cut each time is a network failure, and burns no attempt", async () => {
      const { made } = await genuineProject(agent, {
        script: [{ text: "All is nearly written.", cut: true }],
      });
      // OpenCode repeats it six times, with growing pauses.
      expectInterruption(await untilInterrupted(made, 110_000), "network");
      expect(await attemptsOf(made)).toBe(0);
    });

    test("AGENT-2: a full context is a failed attempt that says so, with what to do", async () => {
      const { made } = await genuineProject(agent, { script: [contextFull] });
      const { events } = await made.run("--once");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({ outcome: "error", hint: expect.stringContaining("Split the task") });
      expectSentence(end?.["reason"], /context|prompt is too long|token count/i);
    });

    test.skipIf(!asks)("AGENT-4: a refused command is named, with how to allow it", async () => {
      const { made } = await genuineProject(agent, {
        script: [{ command: "npm install left-pad" }, { text: "I may not install it." }],
        permission: "edit",
      });
      const { events } = await made.run("--once");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({
        outcome: "no_sigil",
        permissionDenials: [expect.stringContaining("npm install left-pad")],
        hint: expect.stringContaining(`agents.${agent.name}.permission`),
      });
      expectSentence(end?.["reason"], /not allowed/);
    });
  });
}

/** Runs until the first session was interrupted, which must be within `maxMs` of its start. */
async function untilInterrupted({ dir, env }: Practice, maxMs = 60_000): Promise<readonly RunEvent[]> {
  const child = spawn(process.execPath, [...ralphStart, "run", "--once", "--json"], {
    cwd: dir,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const events: RunEvent[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as RunEvent;
    events.push(event);
    if (event.type === "iteration.interrupted") child.kill("SIGINT");
  }
  await ended;
  const at = (type: string): number =>
    Date.parse(`${events.find((event) => event.type === type)?.["timestamp"]}`);
  expect(at("iteration.interrupted") - at("iteration.started")).toBeLessThan(maxMs);
  return events;
}

function expectInterruption(events: readonly RunEvent[], kind: string): RunEvent {
  const [first, ...more] = events.filter(({ type }) => type === "iteration.interrupted");
  expect(more).toEqual([]);
  expect(first?.["kind"]).toBe(kind);
  expectSentence(first?.["message"], /\w{3}/);
  return first as RunEvent;
}

/** Words for people: no JSON, no address of the request, no stack. */
function expectSentence(words: unknown, content: RegExp): void {
  expect(words).toMatch(content);
  expect(words).not.toMatch(/[{}\n]|https?:\/\/127|\bat \S+:\d+:\d+/);
  expect(`${words}`.length).toBeLessThan(500);
}

async function attemptsOf(made: Practice): Promise<number> {
  const [task] = (await made.json("task", "list")) as readonly [{ readonly attempts: number }];
  return task.attempts;
}
