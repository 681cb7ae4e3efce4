import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import { makePipe, releaseLater } from "../../../test/temp-repository.ts";
import type { AgentError } from "../port/agent.ts";
import { followFile } from "./follow-file.ts";
import { anyProgram, geminiProgram, opencodeProgram } from "./programs.ts";
import { silentRetries } from "./silent-retries.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-retries-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A clock that a test moves forward. */
function clock() {
  let at = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    after(ms: number, callback: () => void) {
      const timer = { at: at + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(ms: number) {
      at += ms;
      const due = timers.filter((timer) => timer.at <= at);
      timers = timers.filter((timer) => timer.at > at);
      for (const { callback } of due) callback();
    },
  };
}

function watched(program: Parameters<typeof silentRetries>[1]) {
  const time = clock();
  const ended: AgentError[] = [];
  const retries = silentRetries(silentHost({ after: time.after }), program, (error) => ended.push(error));
  return { retries, time, ended };
}

const gemini = `[2026-11-22T16:13:54.446Z] [WARN] Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED"}}`;
const opencode = (small: boolean): string =>
  `timestamp=2026-11-22T16:13:54.446Z level=ERROR run=be04f7c9 message="stream error" providerID=fake modelID=m1 session.id=s small=${small} agent=build mode=primary error.error="AI_APICallError: Rate limit reached for requests"`;

test.each([
  ["Gemini CLI", geminiProgram, gemini, "You exceeded your current quota."],
  ["OpenCode", opencodeProgram, opencode(false), "Rate limit reached for requests"],
  [
    "any agent",
    anyProgram(["x"]),
    "429 Too Many Requests, retrying in 4s",
    "429 Too Many Requests, retrying in 4s",
  ],
])("AGENT-7: %s that only retries is limited within 60 s", (_name, program, line, message) => {
  const { retries, time, ended } = watched(program);
  retries.line(line);
  expect(retries.current()).toMatchObject({ kind: "rate_limit", message });
  time.pass(20_000);
  retries.line(line);
  expect(ended).toEqual([]);
  time.pass(39_000);
  expect(ended).toMatchObject([{ kind: "rate_limit", message }]);
});

test("AGENT-7: work after a retry, other lines and side requests are no reason to end a session", () => {
  const { retries, time, ended } = watched(opencodeProgram);
  for (const line of [opencode(true), "Error handling request {", "level=INFO retry", gemini])
    retries.line(line);
  expect(retries.current()).toBeNull();
  retries.line(opencode(false));
  time.pass(25_000);
  retries.progress();
  expect(retries.current()).toBeNull();
  time.pass(120_000);
  expect(ended).toEqual([]);
  // A later retry starts a new count, and an agent that has worked gets longer.
  retries.line(opencode(false));
  time.pass(45_000);
  expect(ended).toEqual([]);
  time.pass(10_000);
  expect(ended).toHaveLength(1);
});

test("AGENT-2: an agent that compacts in vain, without an action in between, has a full context", () => {
  const words = "This model's maximum context length is 200000 tokens.";
  const full = opencode(false).replace("Rate limit reached for requests", words);
  const { retries, ended } = watched(opencodeProgram);
  for (const _ of [1, 2]) {
    retries.line(full);
    // The summary is a message too.
    retries.progress();
  }
  retries.acted();
  for (const _ of [1, 2]) retries.line(full);
  expect([ended, retries.current()]).toEqual([[], null]);
  retries.line(full);
  expect(ended).toMatchObject([
    { kind: "context_full", message: words, hint: expect.stringContaining("Split the task") },
  ]);
});

test("AGENT-7: a file that a program appends to is read line by line, also if it appears late", () => {
  const { after, pass } = clock();
  const path = join(folder, "gemini.log");
  const lines: string[] = [];
  followFile(path, { after }, (line) => lines.push(line));
  pass(1000);
  appendFileSync(path, "one\ntw");
  pass(1000);
  expect(lines).toEqual(["one"]);
  appendFileSync(path, `o\n${"x".repeat(100_000)}\nend\n`);
  for (let polls = 0; polls < 4; polls++) pass(1000);
  expect(lines.map((line) => line.slice(0, 3))).toEqual(["one", "two", "xxx", "end"]);
});

test("AGENT-7: a pipe that an agent puts in place of its log does not block this process", () => {
  const pipe = join(mkdtempSync(join(folder, "pipe-")), "log");
  makePipe(pipe);
  releaseLater(pipe);
  const time = clock();
  followFile(pipe, silentHost({ after: time.after }), () => undefined);
  const before = performance.now();
  time.pass(1000);
  expect(performance.now() - before).toBeLessThan(scaledLimit(1000));
});
